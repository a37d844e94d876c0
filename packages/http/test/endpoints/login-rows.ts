/** The login, and the access list that it keeps (LOGIN-6, ACCESS-2, LOGIN-1, WIRE-8). */
import { expect } from 'vitest';
import { type HttpSite, IMAGE_ID } from '../http-site.js';
import { type Asked, done, type EndpointCase, type EndpointRow, textIn } from './endpoint-row.js';

const MACHINE = 'i-0123456789abcdef0';
const NAMED = { instance_id: MACHINE };

async function withRole(site: HttpSite, more: object = {}): Promise<void> {
  await done(site.ask('POST', 'role/dev', { auth_type: 'ec2', bound_ami_id: IMAGE_ID, token_ttl: '1h', ...more }));
}
async function machine(site: HttpSite) {
  await withRole(site);
  return { body: { role: 'dev', ...site.proof() } };
}
async function principal(site: HttpSite, serverId: string | undefined) {
  const role = site.cloud.createRole({ name: 'deployer' });
  const server = { iam_server_id_header_value: 'postern.example' };
  await done(site.ask('POST', 'config/client', server));
  await done(site.ask('POST', 'role/deployer', { bound_iam_principal_arn: role.arn, token_ttl: 60 }));
  const headerName = site.profile === 'vault' ? 'X-Vault-AWS-IAM-Server-ID' : 'X-Service-Cloud-IAM-Server-ID';
  const signed = site.sts.signLogin({
    credentials: site.sts.assumeRole(role, { sessionName: 'build-7' }),
    headerName,
    ...(serverId === undefined ? {} : { serverId }),
  });
  return { body: { ...signed } };
}
async function known(site: HttpSite): Promise<Asked> {
  await withRole(site);
  const instance = site.cloud.launchInstance({ imageId: IMAGE_ID, instanceId: MACHINE });
  await done(site.ask('POST', 'login', { role: 'dev', nonce: 'of-the-client', ...site.proof(instance) }));
  return { params: NAMED };
}

const ENTRY = {
  client_nonce: 'of-the-client',
  creation_time: '2026-11-21T09:00:00.000Z',
  disallow_reauthentication: false,
  expiration_time: '2026-12-23T09:00:00.000Z',
  last_updated_time: '2026-11-21T09:00:00.000Z',
  pending_time: '2026-11-21T09:00:00Z',
  role: 'dev',
};

const auth = {
  client_token: expect.stringMatching(/^pst_[\w-]{40,}$/),
  accessor: expect.stringMatching(/\S{20,}/),
  policies: ['default'],
  token_policies: ['default'],
  renewable: true,
  entity_id: expect.stringMatching(/\S/),
  token_type: 'service',
  orphan: true,
  mfa_requirement: null,
  num_uses: 0,
};

const LOGIN_REFUSALS: readonly EndpointCase[] = [
  { name: 'no proof', given: () => ({ body: { role: 'dev' } }), status: 400, code: 'login_fields_missing' },
  {
    name: 'a proof that nobody signed',
    given: () => ({ body: { role: 'dev', pkcs7: 'AAAA' } }),
    status: 400,
    code: 'evidence_unverified',
  }, // prettier-ignore
  {
    name: 'a role that is not there',
    given: (site) => ({ body: { role: 'dev', ...site.proof() } }),
    status: 400,
    code: 'role_not_found',
  }, // prettier-ignore
  { name: 'a body that is no JSON', given: () => ({ body: '{' }), status: 400, code: 'body_invalid' },
  {
    name: 'a body over the limit',
    site: { bodyLimitBytes: 64 },
    given: () => ({ body: { role: 'd'.repeat(64) } }),
    status: 413,
    code: 'body_too_large',
  }, // prettier-ignore
  {
    name: 'another image',
    given: async (site) => {
      await withRole(site);
      return { body: { role: 'dev', ...site.proof(site.cloud.launchInstance({ imageId: 'ami-2' })) } };
    },
    status: 400,
    code: 'bound_ami_id_mismatch',
  },
  {
    name: 'another nonce',
    given: async (site) => {
      await known(site);
      return { body: { role: 'dev', nonce: 'guessed', ...site.proof(site.cloud.instance(MACHINE)) } };
    },
    status: 400,
    code: 'nonce_mismatch',
  },
  {
    name: 'another address',
    given: async (site) => {
      await withRole(site, { token_bound_cidrs: '198.51.100.0/24' });
      return { body: { role: 'dev', ...site.proof() } };
    },
    status: 403,
    code: 'peer_address_not_allowed',
  },
  {
    name: 'a request signed for another server',
    given: (site) => principal(site, 'another.example'),
    status: 400,
    code: 'evidence_unverified',
  },
  {
    name: 'too often',
    site: { loginRate: { perSecond: 1, burst: 1 } },
    given: async (site) => {
      await site.ask('POST', 'login', {});
      return { body: {} };
    },
    status: 429,
    code: 'rate_limited',
    retryAfter: '1',
  },
  {
    name: 'a provider that sheds load',
    given: async (site) => {
      const asked = await machine(site);
      site.cloud.behaviour.describeInstance.throttle({ retryAfterSeconds: 7 });
      return asked;
    },
    status: 503,
    code: 'provider_unavailable',
    retryAfter: '7',
  },
  {
    name: 'a provider that denies us',
    given: async (site) => {
      const asked = await machine(site);
      site.cloud.behaviour.describeInstance.deny();
      return asked;
    },
    status: 502,
    code: 'provider_denied',
  },
];

export const LOGIN_ROWS: readonly EndpointRow[] = [
  {
    verb: 'POST',
    path: '/login',
    successes: [
      {
        name: 'of an instance',
        given: machine,
        status: 200,
        envelope: {
          auth: {
            ...auth,
            lease_duration: 3600,
            metadata: expect.objectContaining({
              auth_type: 'ec2',
              role: 'dev',
              role_tag_max_ttl: '0s',
              nonce: expect.stringMatching(/^[\da-f-]{36}$/),
            }),
          },
        },
      },
      {
        name: 'of a principal',
        given: (site) => principal(site, 'postern.example'),
        status: 200,
        envelope: {
          auth: {
            ...auth,
            lease_duration: 60,
            metadata: expect.objectContaining({ auth_type: 'iam', account_id: '111122223333' }),
          },
        },
      },
      {
        name: 'to a role of batch tokens',
        given: async (site) => {
          await withRole(site, { token_type: 'batch' });
          return { body: { role: 'dev', ...site.proof() } };
        },
        status: 200,
        envelope: {
          auth: {
            ...auth,
            client_token: expect.stringMatching(/^pst_b_/),
            accessor: '',
            renewable: false,
            token_type: 'batch',
            lease_duration: 3600,
            metadata: expect.objectContaining({ role: 'dev' }),
          },
        },
        effect: async (site, answer) => {
          const token = textIn(answer, 'auth', 'client_token');
          // A batch token is not renewed (BATCH-1).
          expect(await site.send('POST', 'auth/token/renew-self', { token })).toMatchObject({
            status: 400,
            body: { code: 'token_not_renewable' },
          });
        },
      },
    ],
    refusals: LOGIN_REFUSALS,
  },
  {
    verb: 'GET',
    path: '/identity-accesslist/:instance_id',
    successes: [{ name: 'tells the entry', given: known, status: 200, envelope: { data: ENTRY } }],
    refusals: [{ name: 'never logged in', status: 404 }],
  },
  {
    verb: 'LIST',
    path: '/identity-accesslist',
    successes: [{ name: 'names them', given: known, status: 200, envelope: { data: { keys: [MACHINE] } } }],
    refusals: [{ name: 'none logged in', status: 404 }],
  },
  {
    verb: 'DELETE',
    path: '/identity-accesslist/:instance_id',
    successes: [
      {
        name: 'is gone, and its next login is a first one',
        given: known,
        status: 204,
        effect: async (site) => {
          const proof = site.proof(site.cloud.instance(MACHINE));
          expect((await site.ask('POST', 'login', { role: 'dev', nonce: 'new', ...proof })).status).toBe(200);
        },
      },
      { name: 'was never there', status: 204 },
    ],
    refusals: [],
  },
];
