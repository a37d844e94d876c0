import { describe, expect, it } from 'vitest';
import { createManualClock } from '../clock/manual-clock.js';
import { createFakeCloud } from '../fake-cloud/fake-cloud.js';
import type { FakeCredentials } from './credentials.js';
import { createFakeSts } from './fake-sts.js';
import { signCallerIdentityRequest } from './sign-get-caller-identity.js';

const start = Date.UTC(2026, 1, 16, 0, 30, 0);

function makeWorld(region = 'us-east-1') {
  const clock = createManualClock(start);
  const cloud = createFakeCloud({ clock, seed: 'credentials', region });
  const sts = createFakeSts({ cloud, clock, seed: 'credentials' });
  const host = region === 'us-east-1' ? {} : { region };
  const ask = async (credentials: FakeCredentials) => {
    const request = signCallerIdentityRequest({ credentials, date: clock.now(), ...host });
    const answer = await sts.source.send({ ...request, endpoint: 'https://sts.example' });
    const text = Buffer.from(answer.body).toString('utf8');
    const field = (name: string) => new RegExp(`<${name}>(.*)</${name}>`).exec(text)?.[1];
    return answer.status === 200
      ? { arn: field('Arn'), userId: field('UserId'), accountId: field('Account') }
      : `${answer.status} ${field('Code')}`;
  };
  return { clock, cloud, sts, ask };
}

const invalid = '403 InvalidClientTokenId';

describe('the caller that STS names', () => {
  it('is the user with its path and unique id', async () => {
    const { cloud, sts, ask } = makeWorld();
    const user = cloud.createUser({ name: 'alice', path: '/team/a/' });
    const credentials = sts.issueAccessKey(user);
    expect(credentials.accessKeyId).toMatch(/^AKIA[A-Z2-7]{16}$/);
    expect(credentials.sessionToken).toBeUndefined();
    expect(await ask(credentials)).toEqual({
      arn: 'arn:aws:iam::111122223333:user/team/a/alice',
      userId: user.uniqueId,
      accountId: '111122223333',
    });
  });

  it('is the role session, without the path of the role', async () => {
    const { cloud, sts, ask } = makeWorld();
    const role = cloud.createRole({ name: 'deploy', path: '/ops/', accountId: '444455556666' });
    const credentials = sts.assumeRole(role, { sessionName: 'build@17' });
    expect(credentials.accessKeyId).toMatch(/^ASIA[A-Z2-7]{16}$/);
    expect(await ask(credentials)).toEqual({
      arn: 'arn:aws:sts::444455556666:assumed-role/deploy/build@17',
      userId: `${role.uniqueId}:build@17`,
      accountId: '444455556666',
    });
  });

  it('is a session named after the instance for credentials of the metadata service', async () => {
    const { cloud, sts, ask } = makeWorld();
    const role = cloud.createRole({ name: 'web' });
    const { instanceId } = cloud.launchInstance();
    expect(await ask(sts.instanceCredentials({ instanceId }, role))).toMatchObject({
      arn: `arn:aws:sts::111122223333:assumed-role/web/${instanceId}`,
      userId: `${role.uniqueId}:${instanceId}`,
    });
  });

  it('is the user for a session token, the federated user, or root', async () => {
    const { cloud, sts, ask } = makeWorld();
    const user = cloud.createUser({ name: 'bob' });
    expect(await ask(sts.issueSessionToken(user))).toMatchObject({ arn: user.arn, userId: user.uniqueId });
    expect(await ask(sts.issueFederatedUser('carol'))).toMatchObject({
      arn: 'arn:aws:sts::111122223333:federated-user/carol',
      userId: '111122223333:carol',
    });
    expect(await ask(sts.issueRootKey('444455556666'))).toEqual({
      arn: 'arn:aws:iam::444455556666:root',
      userId: '444455556666',
      accountId: '444455556666',
    });
  });

  it.each([
    { region: 'cn-north-1', partition: 'aws-cn' },
    { region: 'us-gov-west-1', partition: 'aws-us-gov' },
    { region: 'eusc-de-east-1', partition: 'aws-eusc' },
    { region: 'us-isob-east-1', partition: 'aws-iso-b' },
  ])('is of the partition of the cloud: $partition', async ({ region, partition }) => {
    const { cloud, sts, ask } = makeWorld(region);
    expect(await ask(sts.assumeRole(cloud.createRole({ name: 'r' }), { sessionName: 's1' }))).toMatchObject({
      arn: `arn:${partition}:sts::111122223333:assumed-role/r/s1`,
    });
  });
});

describe('credentials', () => {
  it('of a session end with it, and those of a user do not', async () => {
    const { clock, cloud, sts, ask } = makeWorld();
    const session = sts.assumeRole(cloud.createRole({ name: 'r' }), { sessionName: 's1', durationSeconds: 900 });
    const key = sts.issueAccessKey(cloud.createUser({ name: 'u' }));
    expect(session.expiresAt).toBe(start + 900_000);
    clock.advance(899_999);
    expect(await ask(session)).toHaveProperty('arn');
    clock.advance(1);
    expect(await ask(session)).toBe('403 ExpiredToken');
    clock.advance(365 * 86_400_000);
    expect(await ask(key)).toHaveProperty('arn');
  });

  it('are worth nothing once revoked', async () => {
    const { cloud, sts, ask } = makeWorld();
    const user = cloud.createUser({ name: 'u' });
    const [first, second] = [sts.issueAccessKey(user), sts.issueAccessKey(user)];
    sts.revokeAccessKey(first.accessKeyId);
    expect(await ask(first)).toBe(invalid);
    expect(await ask(second)).toHaveProperty('arn');
  });

  it('are worth nothing once the principal is deleted, or made anew under its name', async () => {
    const { cloud, sts, ask } = makeWorld();
    const role = cloud.createRole({ name: 'r' });
    const user = cloud.createUser({ name: 'u' });
    const [session, key] = [sts.assumeRole(role, { sessionName: 's1' }), sts.issueAccessKey(user)];
    user.delete();
    role.recreate();
    expect([await ask(session), await ask(key)]).toEqual([invalid, invalid]);
    const anew = sts.assumeRole(role, { sessionName: 's1' });
    expect(await ask(anew)).toMatchObject({ arn: session.identity.arn, userId: `${role.uniqueId}:s1` });
    expect(anew.identity.userId).not.toBe(session.identity.userId);
  });

  it('need their own session token', async () => {
    const { cloud, sts, ask } = makeWorld();
    const role = cloud.createRole({ name: 'r' });
    const [one, other] = [sts.assumeRole(role, { sessionName: 's1' }), sts.assumeRole(role, { sessionName: 's2' })];
    const { sessionToken: _, ...without } = one;
    expect(await ask(without)).toBe(invalid);
    expect(await ask({ ...one, sessionToken: other.sessionToken ?? '' })).toBe(invalid);
  });

  it('repeat with the seed', () => {
    const keys = [makeWorld(), makeWorld()].map(({ sts }) => sts.issueRootKey());
    expect(keys[0]).toEqual(keys[1]);
  });
});

describe('assuming a role', () => {
  it.each([
    { name: 'no external id', options: {}, code: 'AccessDenied' },
    { name: 'another external id', options: { externalId: 'y' }, code: 'AccessDenied' },
    {
      name: 'an account that is not trusted',
      options: { externalId: 'x', callerAccountId: '9' },
      code: 'AccessDenied',
    },
    { name: 'a session name of one letter', options: { externalId: 'x', sessionName: 's' }, code: 'ValidationError' },
    { name: 'a slash in the session name', options: { externalId: 'x', sessionName: 'a/b' }, code: 'ValidationError' },
    { name: 'too short a session', options: { externalId: 'x', durationSeconds: 899 }, code: 'ValidationError' },
    { name: 'too long a session', options: { externalId: 'x', durationSeconds: 43_201 }, code: 'ValidationError' },
    { name: 'half a second', options: { externalId: 'x', durationSeconds: 900.5 }, code: 'ValidationError' },
  ])('is refused with $name', ({ options, code }) => {
    const { cloud, sts } = makeWorld();
    const role = cloud.createRole({ name: 'r' });
    sts.setTrust(role, { externalId: 'x', accountIds: ['111122223333'] });
    expect(() => sts.assumeRole(role, { sessionName: 's1', ...options })).toThrow(expect.objectContaining({ code }));
    expect(sts.assumeRole(role, { sessionName: 's1', externalId: 'x' })).toHaveProperty('sessionToken');
  });

  it('is refused for a role that is gone, and is no thing to do to a user', () => {
    const { cloud, sts } = makeWorld();
    const role = cloud.createRole({ name: 'r' });
    role.delete();
    const denied = expect.objectContaining({ code: 'AccessDenied' });
    expect(() => sts.assumeRole(role, { sessionName: 's1' })).toThrow(denied);
    expect(() => sts.assumeRole(cloud.createUser({ name: 'u' }), { sessionName: 's1' })).toThrow(TypeError);
    expect(() => sts.issueAccessKey(role)).toThrow(TypeError);
  });
});
