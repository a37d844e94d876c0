/**
 * The policies of docs/iam against moto, which then checks signatures and identity policies as AWS does: each feature works under its
 * policy, and is denied without any one of the actions. moto compares no resource but that of AssumeRole: the others are widened here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { CreateRoleCommand, IAMClient, PutRolePolicyCommand, PutUserPolicyCommand } from '@aws-sdk/client-iam';
import { CreateKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { type AwsProvider, createKmsKeyWrapper } from '@postern/provider-aws';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type KeyPair, type MotoAccount, type MotoCloud, OTHER, OWN, REGION, startMotoCloud } from './moto-cloud.js';
import { createPosternOnMoto, createProviderOnMoto } from './postern-on-moto.js';

const FOLDER = new URL('../../docs/iam/', import.meta.url);
/** Of the pages. */
const DOCUMENTED_ACCOUNT = '111122223333';
const USER = 'postern';

interface Statement {
  readonly Action: readonly string[];
  readonly Resource?: string | readonly string[];
}

interface Policy {
  readonly Version: string;
  readonly Statement: readonly Statement[];
}

function read(name: string): Policy {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8'));
}

const actionsOf = ({ Statement }: Policy): readonly string[] => Statement.flatMap(({ Action }) => Action);

/** As it is, with resources that moto can compare. */
function forMoto(policy: Policy, without?: string): string {
  const statements = policy.Statement.map((statement) => ({
    ...statement,
    Action: statement.Action.filter((action) => action !== without),
    Resource: statement.Action.includes('sts:AssumeRole') ? statement.Resource : '*',
  }));
  // A policy needs a statement, and nobody may be denied this action.
  const none = { Effect: 'Allow', Action: ['sts:GetCallerIdentity'], Resource: '*' };
  return JSON.stringify({ ...policy, Statement: [none, ...statements.filter(({ Action }) => Action.length > 0)] });
}

let moto: MotoCloud;
let own: MotoAccount;
let other: MotoAccount;
let instanceId = '';
let remoteInstanceId = '';
let kmsKey = '';
let key: KeyPair;

/** How many calls moto lets through unchecked. */
async function unchecked(count: 'inf' | '0'): Promise<void> {
  await (await fetch(`${moto.url}/moto-api/reset-auth`, { method: 'POST', body: count })).text();
}

const adminOf = async (account: string, session = 'admin') => ({
  endpoint: moto.url,
  region: REGION,
  credentials: await moto.assume(`arn:aws:iam::${account}:role/administrator`, session),
});

beforeAll(async () => {
  moto = await startMotoCloud();
  [own, other] = [await moto.account(OWN), await moto.account(OTHER)];
  await own.createRole('web');
  const profile = await own.createProfile('web', '/', 'web');
  instanceId = (await own.run({ profileArn: profile.arn }))[0]?.InstanceId ?? '';
  remoteInstanceId = (await other.run())[0]?.InstanceId ?? '';
  await own.createUser('Bob', '/team/');
  await own.createUser(USER);
  key = await own.createKey(USER);
  await other.createRole('postern');
  const { KeyMetadata } = await new KMSClient(await adminOf(OWN)).send(new CreateKeyCommand({}));
  kmsKey = KeyMetadata?.KeyId ?? '';
  const trust = JSON.parse(
    readFileSync(new URL('other-accounts-trust.json', FOLDER), 'utf8').replaceAll(DOCUMENTED_ACCOUNT, OWN),
  );
  const trusted = { RoleName: 'trusting', AssumeRolePolicyDocument: JSON.stringify(trust) };
  await new IAMClient(await adminOf(OWN)).send(new CreateRoleCommand(trusted));
});
beforeEach(() => unchecked('inf'));
afterAll(() => moto?.stop());

async function give(document: string, userName = USER): Promise<void> {
  await unchecked('inf');
  const input = { UserName: userName, PolicyName: 'given', PolicyDocument: document };
  await new IAMClient(await adminOf(OWN)).send(new PutUserPolicyCommand(input));
}

async function giveRemote(document: string): Promise<void> {
  await unchecked('inf');
  const input = { RoleName: 'postern', PolicyName: 'given', PolicyDocument: document };
  await new IAMClient(await adminOf(OTHER)).send(new PutRolePolicyCommand(input));
}

const principal = { partition: 'aws', accountId: OWN } as const;

/** A call for each action, by policy: each is denied without its action. */
const FEATURES: Readonly<Record<string, Readonly<Record<string, (cloud: AwsProvider) => Promise<unknown>>>>> = {
  'ec2-logins': {
    'ec2:DescribeInstances': (cloud) => cloud.describeInstance({ accountId: OWN, region: REGION, instanceId }),
  },
  'instance-profiles': {
    'iam:GetInstanceProfile': (cloud) =>
      cloud.rolesOfProfile({
        accountId: OWN,
        region: REGION,
        instanceProfileArn: `arn:aws:iam::${OWN}:instance-profile/web`,
      }),
  },
  principals: {
    'iam:GetUser': (cloud) => cloud.describePrincipal({ ...principal, type: 'user', name: 'Bob' }),
    'iam:GetRole': (cloud) => cloud.describePrincipal({ ...principal, type: 'role', name: 'web' }),
  },
  'other-accounts': {
    'sts:AssumeRole': (cloud) =>
      cloud.describeInstance({ accountId: OTHER, region: REGION, instanceId: remoteInstanceId }),
  },
  'rotate-root': {
    'iam:CreateAccessKey': async (cloud) => {
      const made = await cloud.accessKeys.create(key);
      await cloud.accessKeys.delete(key, made?.accessKeyId ?? '').catch(() => undefined);
      return made;
    },
    'iam:ListAccessKeys': (cloud) => cloud.accessKeys.list(key),
    'iam:DeleteAccessKey': async (cloud) => {
      await cloud.accessKeys.delete(key, 'AKIAMISSINGMISSING01');
      return true;
    },
  },
  kms: {
    'kms:Encrypt': () => withKms((wrapper) => wrapper.wrap(new Uint8Array(32), 'ring/1')),
    'kms:Decrypt': async () => {
      await unchecked('inf');
      const wrapped = await withKms((wrapper) => wrapper.wrap(new Uint8Array(32), 'ring/1'));
      await unchecked('0');
      return withKms((wrapper) => wrapper.unwrap(wrapped, 'ring/1'));
    },
  },
};

async function withKms<T>(work: (wrapper: ReturnType<typeof createKmsKeyWrapper>) => T | Promise<T>): Promise<T> {
  vi.stubEnv('AWS_ACCESS_KEY_ID', key.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', key.secretAccessKey);
  try {
    return await work(createKmsKeyWrapper({ keyId: kmsKey, region: REGION, endpoint: moto.url }));
  } finally {
    vi.unstubAllEnvs();
  }
}

describe.each(Object.entries(FEATURES))('%s.json', (name, calls) => {
  const policy = read(name);

  it('allows the actions that its feature needs, and no others', () => {
    expect(actionsOf(policy).toSorted()).toEqual(Object.keys(calls).toSorted());
    const named = policy.Statement.filter(({ Resource }) => Resource === '*').flatMap(({ Action }) => Action);
    // EC2 knows no resources for it.
    expect(named).toEqual(name === 'ec2-logins' ? ['ec2:DescribeInstances'] : []);
  });

  it.each(Object.entries(calls))('lets %s through, and is denied without it', async (action, call) => {
    await giveRemote(forMoto(read('ec2-logins')));
    // For KMS moto denies in XML, which the SDK cannot read: kms-key-wrapper.test.ts has the answer of AWS.
    const denied = name === 'kms' ? 'unavailable' : 'denied';
    for (const [without, expected] of [
      [undefined, 'done'],
      [action, denied],
    ] as const) {
      await give(forMoto(policy, without));
      await unchecked('0');
      const { provider: cloud } = createProviderOnMoto(moto, key, 0);
      const outcome = await call(cloud).then(
        (answer) => (answer === undefined ? 'nothing' : 'done'),
        (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
      );
      expect([without, outcome]).toEqual([without, expected]);
      await cloud.close();
    }
  });
});

describe('a server', () => {
  it('logs instances and principals in and rotates its key under the policies together', async () => {
    const names = ['ec2-logins', 'instance-profiles', 'principals', 'rotate-root'];
    const statements = names.flatMap((name) => JSON.parse(forMoto(read(name))).Statement);
    await own.createUser('rooted');
    const rooted = await own.createKey('rooted');
    await give(JSON.stringify({ Version: '2012-10-17', Statement: statements }), 'rooted');
    const [instance] = await own.run();
    const bob = await own.createKey('Bob');
    await unchecked('0');
    const postern = await createPosternOnMoto(moto, rooted);
    await postern.call('role.write', { role: 'web' }, { auth_type: 'ec2', bound_ami_id: instance?.ImageId });
    const wildcard = { auth_type: 'iam', bound_iam_principal_arn: [`arn:aws:iam::${OWN}:user/team/*`] };
    await postern.call('role.write', { role: 'team' }, wildcard);
    const exact = { auth_type: 'iam', bound_iam_principal_arn: [`arn:aws:iam::${OWN}:user/team/Bob`] };
    await postern.call('role.write', { role: 'bob' }, exact);
    if (instance === undefined) throw new Error('no instance runs');
    expect((await postern.loginInstance('web', instance)).auth).toBeDefined();
    expect((await postern.loginPrincipal('team', bob)).auth).toBeDefined();
    expect((await postern.loginPrincipal('bob', bob)).auth).toBeDefined();
    const { data } = await postern.call('config.rotate-root');
    expect(data?.['access_key']).not.toBe(rooted.accessKeyId);
    expect((await postern.loginPrincipal('team', bob)).auth).toBeDefined();
    await postern.close();
  });
});

describe('other-accounts-trust.json', () => {
  it('trusts the user of the server with the external id, and with no other', async () => {
    const RoleArn = `arn:aws:iam::${OWN}:role/trusting`;
    await give(
      JSON.stringify({
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Action: ['sts:AssumeRole'], Resource: RoleArn }],
      }),
    );
    await unchecked('0');
    const sts = new STSClient({ endpoint: moto.url, region: REGION, credentials: key });
    const assume = (ExternalId?: string) =>
      sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 's', ExternalId }));
    expect((await assume('the external_id of config/sts')).Credentials).toBeDefined();
    await expect(assume('another')).rejects.toMatchObject({ name: 'AccessDenied' });
  });
});

it('every policy of the folder is tested here, and named in docs/security.md', () => {
  const files = readdirSync(FOLDER).map((file) => file.replace('.json', ''));
  expect(files.toSorted()).toEqual([...Object.keys(FEATURES), 'other-accounts-trust'].toSorted());
  const page = readFileSync(new URL('../security.md', FOLDER), 'utf8');
  for (const file of files) expect(page).toContain(`(./iam/${file}.json)`);
});
