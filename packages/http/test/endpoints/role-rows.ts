/** Roles, role tags and their deny list (ROLE-1, TAG-1, DENY-1, WIRE-8). */
import { expect } from 'vitest';
import { type HttpSite, IMAGE_ID } from '../http-site.js';
import { done, type EndpointCase, type EndpointRow, textIn } from './endpoint-row.js';

const ROLE = { role: 'dev' };
const FIELDS = { auth_type: 'ec2', bound_ami_id: IMAGE_ID, role_tag: 'RoleTag', token_policies: ['p', 'q'] };
const ROLE_READ = {
  allow_instance_migration: false,
  auth_type: 'ec2',
  bound_account_id: [],
  bound_ami_id: [IMAGE_ID],
  bound_ec2_instance_id: [],
  bound_iam_instance_profile_arn: [],
  bound_iam_principal_arn: [],
  bound_iam_principal_id: [],
  bound_iam_role_arn: [],
  bound_region: [],
  bound_subnet_id: [],
  bound_vpc_id: [],
  disallow_reauthentication: false,
  inferred_aws_region: '',
  inferred_entity_type: '',
  max_document_age: 0,
  require_inferred_profile: null,
  resolve_cloud_unique_ids: true,
  role_id: expect.stringMatching(/^[\da-f-]{36}$/),
  role_tag: 'RoleTag',
  token_bound_cidrs: [],
  token_explicit_max_ttl: 0,
  token_max_ttl: 0,
  token_no_default_policy: false,
  token_num_uses: 0,
  token_period: 0,
  token_policies: ['p', 'q'],
  token_ttl: 0,
  token_type: 'default',
};

async function withRole(site: HttpSite) {
  await done(site.ask('POST', 'role/DEV', FIELDS));
  return { params: ROLE };
}
async function withTag(site: HttpSite) {
  await withRole(site);
  const issued = await done(site.ask('POST', 'role/dev/tag', { policies: 'p' }));
  return { params: { role_tag: encodeURIComponent(textIn(issued, 'data', 'tag_value')) } };
}
async function withDeniedTag(site: HttpSite) {
  const { params } = await withTag(site);
  await done(site.ask('POST', `roletag-denylist/${params.role_tag}`));
  return { params };
}
const keysOf = async (site: HttpSite, list: string) => (await site.ask('LIST', list)).body?.['data'];

const refused = (name: string, body: object, code: string, status = 400): EndpointCase => ({
  name,
  given: (site) => ({ params: ROLE, body: site.named(body) }),
  status,
  code,
});
const refusedTag = (name: string, body: object, code: string): EndpointCase => ({
  name,
  given: async (site) => ({ ...(await withRole(site)), body }),
  status: 400,
  code,
});

export const ROLE_ROWS: readonly EndpointRow[] = [
  {
    verb: 'POST',
    path: '/role/:role',
    successes: [
      {
        name: 'creates it, its name in lower case',
        given: () => ({ params: { role: 'DEV' }, body: FIELDS }),
        status: 204,
        effect: async (site) => expect(await keysOf(site, 'roles')).toEqual({ keys: ['dev'] }),
      },
      {
        name: 'says what the role will do but should perhaps not',
        given: () => ({ params: ROLE, body: { ...FIELDS, token_max_ttl: '1000000h' } }),
        status: 200,
        envelope: { warnings: [expect.stringMatching(/\S/)] },
      },
    ],
    refusals: [
      refused('no constraint', { auth_type: 'ec2' }, 'role_constraint_missing'),
      refused('an unknown type', { auth_type: 'ec3', bound_ami_id: 'a' }, 'role_auth_type_invalid'),
      refused(
        'a constraint of the other type',
        { auth_type: 'iam', bound_ami_id: 'a' },
        'role_constraint_not_applicable',
      ), // prettier-ignore
      refused(
        'both options at once',
        { ...FIELDS, allow_instance_migration: true, disallow_reauthentication: true },
        'role_options_exclusive',
      ), // prettier-ignore
      refused(
        'a principal that is not there',
        { bound_iam_principal_arn: 'arn:aws:iam::111122223333:role/none', resolve_cloud_unique_ids: true },
        'principal_unresolvable',
      ), // prettier-ignore
      {
        name: 'a name that can be none',
        given: () => ({ params: { role: 'dev-' }, body: FIELDS }),
        status: 404,
        code: 'unsupported_path',
      }, // prettier-ignore
    ],
  },
  {
    verb: 'GET',
    path: '/role/:role',
    successes: [{ name: 'tells all of it', given: withRole, status: 200, envelope: { data: ROLE_READ } }],
    refusals: [{ name: 'never written', status: 404 }],
  },
  {
    verb: 'LIST',
    path: '/roles',
    successes: [{ name: 'names them', given: withRole, status: 200, envelope: { data: { keys: ['dev'] } } }],
    refusals: [{ name: 'none written', status: 404 }],
  },
  {
    verb: 'DELETE',
    path: '/role/:role',
    successes: [
      {
        name: 'is gone',
        given: withRole,
        status: 204,
        effect: async (site) => expect((await site.ask('GET', 'role/dev')).status).toBe(404),
      },
      { name: 'was never there', status: 204 },
    ],
    refusals: [],
  },
  {
    verb: 'POST',
    path: '/role/:role/tag',
    successes: [
      {
        name: 'makes a signed tag',
        given: async (site) => ({ ...(await withRole(site)), body: { policies: 'p', max_ttl: '1h' } }),
        status: 200,
        envelope: {
          data: {
            tag_key: 'RoleTag',
            tag_value: expect.stringMatching(/^v1:[\w+/]{11}=:r=dev:d=false:m=false:p=p:t=3600:[\w+/]{43}=$/),
          },
        },
      },
    ],
    refusals: [
      { name: 'of a role that is not there', status: 400, code: 'role_not_found' },
      refusedTag('a policy beyond those of the role', { policies: 'z' }, 'tag_policies_not_subset'),
      {
        name: 'both options at once',
        given: async (site) => {
          await done(site.ask('POST', 'role/dev', { ...FIELDS, allow_instance_migration: true }));
          return { params: ROLE, body: { allow_instance_migration: true, disallow_reauthentication: true } };
        },
        status: 400,
        code: 'tag_options_exclusive',
      }, // prettier-ignore
      refusedTag(
        'migration that the role does not allow',
        { allow_instance_migration: true },
        'tag_migration_not_allowed',
      ), // prettier-ignore
    ],
  },
  {
    verb: 'POST',
    path: '/roletag-denylist/:role_tag',
    successes: [
      {
        name: 'bars the tag',
        given: withTag,
        status: 204,
        effect: async (site) =>
          expect(await keysOf(site, 'roletag-denylist')).toEqual({ keys: [expect.stringMatching(/^v1:/)] }),
      },
    ],
    refusals: [{ name: 'what is no tag', status: 400, code: 'role_tag_invalid' }],
  },
  {
    verb: 'GET',
    path: '/roletag-denylist/:role_tag',
    successes: [
      {
        name: 'tells since and until when',
        given: withDeniedTag,
        status: 200,
        envelope: { data: { creation_time: '2026-11-21T09:00:00.000Z', expiration_time: '2026-12-23T09:00:00.000Z' } },
      },
    ],
    refusals: [{ name: 'not barred', given: withTag, status: 404 }],
  },
  {
    verb: 'LIST',
    path: '/roletag-denylist',
    successes: [
      {
        name: 'tells the tags as they are',
        given: withDeniedTag,
        status: 200,
        envelope: { data: { keys: [expect.stringMatching(/^v1:.*:r=dev:/)] } },
      },
    ],
    refusals: [{ name: 'none barred', given: withTag, status: 404 }],
  },
  {
    verb: 'DELETE',
    path: '/roletag-denylist/:role_tag',
    successes: [
      {
        name: 'lets the tag in again',
        given: withDeniedTag,
        status: 204,
        effect: async (site) => expect((await site.ask('LIST', 'roletag-denylist')).status).toBe(404),
      },
      { name: 'was never barred', given: withTag, status: 204 },
    ],
    refusals: [],
  },
];
