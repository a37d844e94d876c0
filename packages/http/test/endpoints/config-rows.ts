/** Configuration: client, rotation, identity, certificates, STS associations (CONFIG-1, ALIAS-1, CERT-1, ASSOC-1, ROTATE-1). */
import { expect } from 'vitest';
import { type HttpSite, NEXT_ROOT_KEY, ROOT_KEY } from '../http-site.js';
import { done, type EndpointRow } from './endpoint-row.js';

const CLIENT = { access_key: ROOT_KEY, max_retries: 3, sts_region: 'eu-west-1' };
const CLIENT_READ = {
  access_key: ROOT_KEY,
  allowed_sts_header_values: [],
  endpoint: '',
  iam_endpoint: '',
  iam_server_id_header_value: '',
  max_retries: 3,
  sts_endpoint: '',
  sts_region: 'eu-west-1',
  use_sts_region_from_client: false,
};
const SECRET = 'canary-old-secret';
const CERTIFICATE = { cert_name: 'mine' };
const ACCOUNT = { account_id: '444455556666' };
const STS_ROLE = 'arn:aws:iam::444455556666:role/postern';

async function withClient(site: HttpSite) {
  await done(site.ask('POST', 'config/client', { ...CLIENT, secret_key: SECRET }));
  return {};
}
const pemOf = (site: HttpSite) => site.cloud.certificates().pkcs7Rsa2048;
async function withCertificate(site: HttpSite) {
  const body = site.named({ cloud_public_cert: btoa(pemOf(site)), type: 'pkcs7' });
  await done(site.ask('POST', 'config/certificate/mine', body));
  return { params: CERTIFICATE };
}
async function withAssociation(site: HttpSite) {
  await done(site.ask('POST', `config/sts/${ACCOUNT.account_id}`, { sts_role: STS_ROLE }));
  return { params: ACCOUNT };
}
const isGone = (path: string) => async (site: HttpSite) => {
  expect((await site.ask('GET', path)).status).toBe(404);
};

export const CONFIG_ROWS: readonly EndpointRow[] = [
  {
    verb: 'POST',
    path: '/config/client',
    successes: [
      {
        name: 'stores what was sent, the rest by default',
        given: () => ({ body: { ...CLIENT, secret_key: SECRET } }),
        status: 204,
        effect: async (site) => expect((await site.ask('GET', 'config/client')).body?.['data']).toEqual(CLIENT_READ),
      },
    ],
    refusals: [
      {
        name: 'an endpoint in clear',
        given: () => ({ body: { endpoint: 'http://evil.example' } }),
        status: 400,
        code: 'endpoint_invalid',
      }, // prettier-ignore
      {
        name: 'a field of another type',
        given: () => ({ body: { max_retries: 'many' } }),
        status: 400,
        code: 'field_invalid',
      }, // prettier-ignore
      { name: 'a body that is no JSON', given: () => ({ body: '{"max_retries":' }), status: 400, code: 'body_invalid' },
    ],
  },
  {
    verb: 'GET',
    path: '/config/client',
    successes: [
      {
        name: 'tells all but the secret',
        given: withClient,
        status: 200,
        envelope: { data: CLIENT_READ },
        effect: async (_site, { body }) => expect(JSON.stringify(body)).not.toContain(SECRET),
      },
    ],
    refusals: [{ name: 'never configured', status: 404 }],
  },
  {
    verb: 'DELETE',
    path: '/config/client',
    successes: [
      { name: 'is forgotten', given: withClient, status: 204, effect: isGone('config/client') },
      { name: 'was never there', status: 204 },
    ],
    refusals: [],
  },
  {
    verb: 'POST',
    path: '/config/rotate-root',
    successes: [
      {
        name: 'answers with the new key and no secret',
        given: withClient,
        status: 200,
        envelope: { data: { access_key: NEXT_ROOT_KEY } },
        effect: async (site, { body }) => {
          expect(JSON.stringify(body)).not.toContain('canary');
          expect(site.keyIds).toEqual([NEXT_ROOT_KEY]);
        },
      },
    ],
    refusals: [
      { name: 'without a static key', status: 400, code: 'rotation_static_key_missing' },
      {
        name: 'with a second key at the provider',
        given: async (site) => {
          site.keyIds.push('AKIAOTHEROTHEROTHER1');
          return withClient(site);
        },
        status: 400,
        code: 'rotation_key_limit',
      },
    ],
  },
  {
    verb: 'POST',
    path: '/config/identity',
    successes: [
      {
        name: 'names grants from then on',
        given: () => ({ body: { iam_alias: 'full_arn', ec2_metadata: 'region,ami_id' } }),
        status: 204,
        effect: async (site) =>
          expect((await site.ask('GET', 'config/identity')).body?.['data']).toMatchObject({
            iam_alias: 'full_arn',
            ec2_metadata: ['ami_id', 'region'],
          }),
      },
    ],
    refusals: [
      {
        name: 'an unknown alias',
        given: () => ({ body: { iam_alias: 'nickname' } }),
        status: 400,
        code: 'alias_invalid',
      }, // prettier-ignore
      {
        name: 'unknown metadata',
        given: () => ({ body: { ec2_metadata: ['colour'] } }),
        status: 400,
        code: 'metadata_invalid',
      }, // prettier-ignore
    ],
  },
  {
    verb: 'GET',
    path: '/config/identity',
    successes: [
      {
        name: 'tells the defaults where nothing was written',
        status: 200,
        envelope: {
          data: {
            ec2_alias: 'role_id',
            ec2_metadata: ['account_id', 'auth_type'],
            iam_alias: 'role_id',
            iam_metadata: ['account_id', 'auth_type'],
          },
        },
      },
    ],
    refusals: [],
  },
  {
    verb: 'POST',
    path: '/config/certificate/:cert_name',
    successes: [
      {
        name: 'takes base64 of PEM',
        given: (site) => ({ params: CERTIFICATE, body: site.named({ cloud_public_cert: btoa(pemOf(site)) }) }),
        status: 204,
        effect: async (site) =>
          expect((await site.ask('GET', 'config/certificate/mine')).body?.['data']).toMatchObject({ type: 'pkcs7' }),
      },
    ],
    refusals: [
      {
        name: 'no certificate',
        given: () => ({ params: CERTIFICATE, body: {} }),
        status: 400,
        code: 'certificate_missing',
      }, // prettier-ignore
      {
        name: 'what is none',
        given: (site) => ({ params: CERTIFICATE, body: site.named({ cloud_public_cert: 'AAAA' }) }),
        status: 400,
        code: 'certificate_invalid',
      }, // prettier-ignore
      {
        name: 'an unknown type',
        given: (site) => ({
          params: CERTIFICATE,
          body: site.named({ cloud_public_cert: btoa(pemOf(site)), type: 'x509' }),
        }),
        status: 400,
        code: 'certificate_type_invalid',
      }, // prettier-ignore
      {
        name: 'a name that can be none',
        given: () => ({ params: { cert_name: '-mine' }, body: {} }),
        status: 404,
        code: 'unsupported_path',
      }, // prettier-ignore
    ],
  },
  {
    verb: 'GET',
    path: '/config/certificate/:cert_name',
    successes: [
      {
        name: 'tells it as PEM',
        given: withCertificate,
        status: 200,
        envelope: {
          data: { cloud_public_cert: expect.stringMatching(/^-----BEGIN CERTIFICATE-----\n/), type: 'pkcs7' },
        },
      },
    ],
    refusals: [{ name: 'never registered', status: 404 }],
  },
  {
    verb: 'DELETE',
    path: '/config/certificate/:cert_name',
    successes: [
      { name: 'is forgotten', given: withCertificate, status: 204, effect: isGone('config/certificate/mine') },
      { name: 'was never there', status: 204 },
    ],
    refusals: [],
  },
  {
    verb: 'LIST',
    path: '/config/certificates',
    successes: [{ name: 'names them', given: withCertificate, status: 200, envelope: { data: { keys: ['mine'] } } }],
    refusals: [{ name: 'none registered', status: 404 }],
  },
  {
    verb: 'POST',
    path: '/config/sts/:account_id',
    successes: [
      {
        name: 'associates the account',
        given: () => ({ params: ACCOUNT, body: { sts_role: STS_ROLE } }),
        status: 204,
        effect: async (site) =>
          expect((await site.ask('GET', `config/sts/${ACCOUNT.account_id}`)).body?.['data']).toEqual({
            sts_role: STS_ROLE,
          }),
      },
    ],
    refusals: [
      { name: 'no role', given: () => ({ params: ACCOUNT, body: {} }), status: 400, code: 'field_missing' },
      {
        name: 'an account of eleven digits',
        given: () => ({ params: { account_id: '12345678901' }, body: { sts_role: STS_ROLE } }),
        status: 400,
        code: 'field_invalid',
      }, // prettier-ignore
    ],
  },
  {
    verb: 'GET',
    path: '/config/sts/:account_id',
    successes: [
      { name: 'tells the role', given: withAssociation, status: 200, envelope: { data: { sts_role: STS_ROLE } } },
    ],
    refusals: [{ name: 'never associated', status: 404 }],
  },
  {
    verb: 'LIST',
    path: '/config/sts',
    successes: [
      {
        name: 'names the accounts',
        given: withAssociation,
        status: 200,
        envelope: { data: { keys: [ACCOUNT.account_id] } },
      }, // prettier-ignore
    ],
    refusals: [{ name: 'none associated', status: 404 }],
  },
  {
    verb: 'DELETE',
    path: '/config/sts/:account_id',
    successes: [
      { name: 'is forgotten', given: withAssociation, status: 204, effect: isGone(`config/sts/${ACCOUNT.account_id}`) },
      { name: 'was never there', status: 204 },
    ],
    refusals: [],
  },
];
