/** A request that a client signed keeps its signature on our wire: the fake STS verifies it as STS does (THREAT-25). */
import { createFakeCloud, createManualClock, type FakeStsListener, signCallerIdentityRequest } from '@postern/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AwsProvider, createAwsProvider } from '../index.js';

const clock = createManualClock(Date.UTC(2026, 10, 21));
const cloud = createFakeCloud({ clock, seed: 'wire' });
const { sts } = cloud;
const user = cloud.createUser({ name: 'alice', path: '/people/' });
const credentials = sts.issueAccessKey(user);
let listener: FakeStsListener;
let provider: AwsProvider;

beforeEach(async () => {
  sts.clearCalls();
  listener = await sts.listen();
  const configuration = { clientConfig: () => undefined, stsAssociation: () => undefined };
  provider = createAwsProvider({ configuration, clock });
});
afterEach(async () => {
  await provider.close();
  await listener.close();
});

describe.each(['POST', 'GET'] as const)('a signed %s', (method) => {
  const send = (change: Partial<ReturnType<typeof signCallerIdentityRequest>> = {}) => {
    const options = { credentials, date: clock.now(), method, region: 'eu-west-1', serverId: 'vault.example' };
    const signed = { ...signCallerIdentityRequest(options), ...change };
    return provider.callerIdentity.send({ ...signed, endpoint: listener.url });
  };

  it('is verified by STS, which is asked once', async () => {
    const answer = await send();
    expect([answer.status, answer.contentType]).toEqual([200, 'text/xml']);
    expect(new TextDecoder().decode(answer.body)).toContain(`<Arn>${user.arn}</Arn>`);
    expect(sts.calls.map(({ method: sent, host, outcome }) => [sent, host, outcome])).toEqual([
      [method, 'sts.eu-west-1.amazonaws.com', 'ok'],
    ]);
  });

  it('with another host than the one that was signed is refused by STS', async () => {
    const options = { credentials, date: clock.now(), method, region: 'eu-west-1' };
    const { headers } = signCallerIdentityRequest(options);
    const moved = headers.map(([name, value]) => [name, name === 'Host' ? 'sts.amazonaws.com' : value] as const);
    expect((await send({ headers: moved })).status).toBe(403);
  });
});

describe('a request that the SDK signs over our transport', () => {
  const prove = (secretAccessKey: string) => {
    const client = {
      accessKey: '',
      secretKey: '',
      maxRetries: 0,
      endpoint: '',
      iamEndpoint: '',
      stsRegion: 'eu-west-1',
    };
    const configuration = {
      clientConfig: () => ({ ...client, stsEndpoint: listener.url }),
      stsAssociation: () => undefined,
    };
    const sdk = createAwsProvider({ configuration, clock, keyProof: { withinMs: 0 } });
    return sdk.accessKeys.prove({ ...credentials, secretAccessKey }).finally(() => sdk.close());
  };

  it('is verified by STS', async () => {
    clock.set(Date.now());
    expect(await prove(credentials.secretAccessKey)).toBe(true);
  });

  it('is refused by STS when the secret is another', async () => {
    clock.set(Date.now());
    expect(await prove(`${credentials.secretAccessKey.slice(1)}x`)).toBe(false);
  });
});
