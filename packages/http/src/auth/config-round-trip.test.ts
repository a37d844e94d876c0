/**
 * Whatever is configured over HTTP can be read, written back as it was read, and is then the same; every list can be
 * cleared (FIELD-7). In both wire profiles (WIRE-2), over random configurations.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HttpSite, openHttpSite } from '../../test/http-site.js';
import type { ProfileName } from './wire-profile.js';

type Body = Record<string, unknown>;

interface Kind {
  readonly name: string;
  readonly path: string;
  /** Fields of writes, by the names of the specification. */
  readonly fields: (site: HttpSite) => Record<string, fc.Arbitrary<unknown>>;
  /** Always sent. */
  readonly always?: (site: HttpSite) => Body;
  readonly lists: readonly string[];
}

const text = (...texts: string[]) => fc.constantFrom('', ...texts);
const flag = fc.constantFrom<unknown>(true, false, 'true', 0);
const duration = fc.constantFrom<unknown>(0, 60, '90', '2h', '1d');
const listOf = (...items: string[]) =>
  fc.oneof(
    fc.subarray(items),
    fc.subarray(items).map((some) => some.join(',')),
  );

const TOKEN_FIELDS = {
  token_ttl: duration,
  token_max_ttl: fc.constantFrom<unknown>(0, '48h'),
  token_explicit_max_ttl: duration,
  token_period: duration,
  token_policies: listOf('dev', 'ops', 'with space'),
  token_no_default_policy: flag,
  token_num_uses: fc.constantFrom<unknown>(0, '7'),
  token_bound_cidrs: listOf('10.0.0.0/8', '192.0.2.7', '2001:db8::/32'),
  token_type: text('default', 'service'),
};
const INSTANCE_BOUNDS = {
  bound_account_id: listOf('111122223333', '444455556666'),
  bound_ami_id: listOf('ami-1', 'ami-2'),
  bound_region: listOf('eu-west-1', 'us-east-1'),
  bound_vpc_id: listOf('vpc-1', 'vpc-2'),
  bound_subnet_id: listOf('subnet-1', 'subnet-2'),
  bound_ec2_instance_id: listOf('i-1', 'i-2'),
  bound_iam_role_arn: listOf('arn:aws:iam::111122223333:role/a', 'arn:aws:iam::111122223333:role/b*'),
  bound_iam_instance_profile_arn: listOf('arn:aws:iam::111122223333:instance-profile/*'),
};
const TOKEN_LISTS = ['token_policies', 'token_bound_cidrs'];

const tidy = (target: string): Kind => ({
  name: `tidying of ${target}`,
  path: `config/tidy/${target}`,
  fields: () => ({ safety_buffer: duration, disable_periodic_tidy: flag }),
  lists: [],
});

const KINDS: readonly Kind[] = [
  {
    name: 'the client configuration',
    path: 'config/client',
    fields: () => ({
      access_key: text('AKIAEXAMPLEEXAMPLE12'),
      secret_key: text('canary-secret'),
      max_retries: fc.constantFrom<unknown>(-1, 0, '5'),
      endpoint: text('https://ec2.example', 'http://127.0.0.1:4566'),
      iam_endpoint: text('https://iam.example/'),
      sts_endpoint: text('https://sts.example'),
      sts_region: text('eu-west-1'),
      use_sts_region_from_client: flag,
      iam_server_id_header_value: text('postern.example'),
      allowed_sts_header_values: listOf('X-Custom', 'x-another', 'X-Third'),
    }),
    lists: ['allowed_sts_header_values'],
  },
  {
    name: 'the identity configuration',
    path: 'config/identity',
    fields: () => ({
      iam_alias: fc.constantFrom('role_id', 'unique_id', 'full_arn', 'canonical_arn'),
      ec2_alias: fc.constantFrom('role_id', 'instance_id', 'image_id'),
      iam_metadata: fc.oneof(fc.constant('default'), listOf('account_id', 'auth_type', 'client_arn')),
      ec2_metadata: fc.oneof(fc.constant(['default']), listOf('account_id', 'auth_type', 'ami_id', 'region')),
    }),
    lists: ['iam_metadata', 'ec2_metadata'],
  },
  {
    name: 'a certificate',
    path: 'config/certificate/mine',
    always: ({ cloud }) => ({ cloud_public_cert: cloud.certificates().pkcs7Rsa2048 }),
    fields: ({ cloud }) => {
      const { pkcs7Rsa2048, identityRsa } = cloud.certificates();
      return {
        cloud_public_cert: fc.constantFrom(pkcs7Rsa2048, identityRsa, btoa(pkcs7Rsa2048), btoa(identityRsa)),
        type: fc.constantFrom('pkcs7', 'identity', 'IDENTITY'),
      };
    },
    lists: [],
  },
  {
    name: 'an STS association',
    path: 'config/sts/444455556666',
    always: () => ({ sts_role: 'arn:aws:iam::444455556666:role/postern' }),
    fields: () => ({
      sts_role: fc.constantFrom('arn:aws:iam::444455556666:role/postern', 'arn:aws:iam::444455556666:role/p/other'),
      external_id: text('tenant/7'),
    }),
    lists: [],
  },
  tidy('identity-accesslist'),
  tidy('roletag-denylist'),
  {
    name: 'a role of instances',
    path: 'role/machine',
    always: () => ({ auth_type: 'ec2', bound_ec2_instance_id: 'i-always' }),
    fields: () => {
      const { bound_ec2_instance_id: _kept, ...bounds } = INSTANCE_BOUNDS;
      return {
        ...bounds,
        ...TOKEN_FIELDS,
        role_tag: text('RoleTag'),
        allow_instance_migration: flag,
        max_document_age: duration,
        resolve_cloud_unique_ids: fc.constant(true),
      };
    },
    lists: [...Object.keys(INSTANCE_BOUNDS).filter((name) => name !== 'bound_ec2_instance_id'), ...TOKEN_LISTS],
  },
  {
    name: 'a role of principals',
    path: 'role/person',
    always: () => ({ resolve_cloud_unique_ids: false, bound_iam_principal_arn: 'arn:aws:iam::111122223333:role/a' }),
    fields: () => ({
      ...TOKEN_FIELDS,
      bound_iam_principal_arn: fc.subarray(['arn:aws:iam::111122223333:user/p/u', 'arn:aws:iam::111122223333:*'], {
        minLength: 1,
      }),
    }),
    lists: TOKEN_LISTS,
  },
  {
    name: 'a role of principals on instances',
    path: 'role/inferred',
    always: () => ({
      inferred_entity_type: 'ec2_instance',
      inferred_aws_region: 'eu-west-1',
      resolve_cloud_unique_ids: false,
      bound_iam_principal_arn: 'arn:aws:iam::111122223333:role/*',
    }),
    fields: () => ({ ...INSTANCE_BOUNDS, ...TOKEN_FIELDS, require_inferred_profile: flag }),
    lists: [...Object.keys(INSTANCE_BOUNDS), ...TOKEN_LISTS],
  },
];

async function read(site: HttpSite, path: string): Promise<Body> {
  const { status, body } = await site.ask('GET', path);
  expect(status).toBe(200);
  // The answer was held against the document: `data` of a read is an object.
  return body?.['data'] as Body;
}

async function write(site: HttpSite, path: string, body: Body): Promise<number> {
  return (await site.ask('POST', path, body)).status;
}

describe.each<ProfileName>(['neutral', 'vault'])('in the %s profile', (profile) => {
  describe.each(KINDS)('$name', ({ path, fields, always, lists }) => {
    it('that is read and written back is the same, whatever was written before', async () => {
      const site = await openHttpSite(profile);
      // Profiles differ in names, which few runs show.
      const numRuns = profile === 'neutral' ? 20 : 4;
      let taken = 0;
      const bodies = fc.array(fc.record(fields(site), { requiredKeys: [] }), { minLength: 1, maxLength: 3 });
      await fc.assert(
        fc.asyncProperty(bodies, async (some) => {
          await site.ask('DELETE', path);
          expect(await write(site, path, site.named(always?.(site) ?? {}))).toBeLessThan(300);
          for (const body of some) {
            // A certificate comes with every write; what else may be refused leaves all as it was.
            const sent = 'cloud_public_cert' in (always?.(site) ?? {}) ? { ...always?.(site), ...body } : body;
            taken += (await write(site, path, site.named(sent))) < 300 ? 1 : 0;
          }
          const before = await read(site, path);
          expect(await write(site, path, before)).toBeLessThan(300);
          expect(await read(site, path)).toEqual(before);
          expect(JSON.stringify(before)).not.toContain('canary');
        }),
        { numRuns, seed: 7 },
      );
      expect(taken).toBeGreaterThan((numRuns * 3) / 4);
    });

    it('that is read makes the same where there was none', async () => {
      const site = await openHttpSite(profile);
      const [some] = fc.sample(fc.record(fields(site)), { numRuns: 1, seed: 11 });
      await write(site, path, site.named({ ...always?.(site) }));
      await write(site, path, site.named({ ...some, ...always?.(site) }));
      const { role_id: _new, ...before } = await read(site, path);
      const other = await openHttpSite(profile);
      expect(await write(other, path, before)).toBeLessThan(300);
      expect(await read(other, path)).toMatchObject(before);
    });

    it.each(lists)('has its %s cleared by [] and by ""', async (list) => {
      const site = await openHttpSite(profile);
      expect(await write(site, path, site.named(always?.(site) ?? {}))).toBeLessThan(300);
      const [full] = fc
        .sample(fields(site)[list] ?? fc.constant([]), { numRuns: 50, seed: 3 })
        .filter((value) => value !== 'default' && String(value) !== '' && String(value) !== 'default');
      for (const nothing of [[], '']) {
        expect(await write(site, path, { [list]: full })).toBeLessThan(300);
        expect(await read(site, path)).not.toMatchObject({ [list]: [] });
        expect(await write(site, path, { [list]: nothing })).toBeLessThan(300);
        expect((await read(site, path))[list]).toEqual([]);
      }
    });
  });
});
