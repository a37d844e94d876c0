/** A signed request logs in once among all processes, and no older than the host allows (STS-16, STS-17, THREAT-24). */
import { callerIdentityFields, signCallerIdentityRequest } from '@postern/testkit';
import { describe, expect, it, vi } from 'vitest';
import { createIamWorld, type IamWorld } from '../../test/create-iam-world.js';
import { ACCOUNT, codeOf } from '../../test/create-test-method.js';

async function world(options: Parameters<typeof createIamWorld>[0] = {}) {
  const test = createIamWorld(options);
  const key = test.sts.issueAccessKey(test.cloud.createUser({ name: 'Bob' }));
  await test.putIamRole({ name: 'bob', boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:user/Bob`] });
  return { ...test, key };
}

describe('a signed request', () => {
  it('W11: logs in once among processes that share the storage, at once or after each other (STS-16)', async () => {
    const first = await world({ options: { refuseReplays: true } });
    const second = createIamWorld({ beside: first, options: { refuseReplays: true } });
    for (const isTogether of [true, false]) {
      first.clock.advance(1_000);
      const fields = { ...first.sts.signLogin({ credentials: first.key }) };
      const login = (node: IamWorld) => codeOf(node.call('login', { fields }));
      const codes = isTogether
        ? await Promise.all([login(first), login(second)])
        : [await login(first), await login(second)];
      expect(codes.toSorted()).toEqual(['allowed', 'evidence_unverified']);
    }
    expect([...first.events, ...second.events].filter(({ reason }) => reason === 'request_replayed')).toHaveLength(2);
    expect(await first.inside.collections.usedRequests.allIds()).toHaveLength(2);
  });

  it('W11: asks the storage no more often where replays are refused, and stores no signature', async () => {
    const counts: number[][] = [];
    const texts: string[] = [];
    for (const refuseReplays of [false, true]) {
      const test = await world({ options: { refuseReplays } });
      const calls = (['get', 'getMany', 'commit'] as const).map((name) => vi.spyOn(test.memory, name));
      const fields = { ...test.sts.signLogin({ credentials: test.key, method: 'GET' }) };
      await test.call('login', { fields });
      counts.push(calls.map(({ mock }) => mock.calls.length));
      texts.push(JSON.stringify(calls.map(({ mock }) => mock.calls)));
      const [, signature = 'none'] = /X-Amz-Signature=([0-9a-f]{64})/.exec(atob(fields.iam_request_url)) ?? [];
      expect(signature).toHaveLength(64);
      expect(texts.join()).not.toContain(signature);
    }
    expect(texts.join()).toContain('used-requests/');
    expect(counts[1]).toEqual(counts[0]);
  });

  it('W11: is forgotten by the periodic run an hour after STS refuses it (TIDY-9)', async () => {
    const test = await world({ options: { refuseReplays: true } });
    await test.signIn(test.key);
    const used = () => test.inside.collections.usedRequests.allIds();
    test.clock.advance((20 + 60) * 60_000);
    await test.method.runPeriodicTidy();
    expect(await used()).toHaveLength(1);
    test.clock.advance(60 * 60_000);
    await test.method.runPeriodicTidy();
    expect(await used()).toEqual([]);
  });

  it.each([
    [0, 'allowed'],
    [60_000, 'allowed'],
    [61_000, 'evidence_unverified'],
    [-300_000, 'allowed'],
    [-301_000, 'evidence_unverified'],
  ])('W11: that is %i ms old, of at most 60 s, is %s (STS-17)', async (age, verdict) => {
    const test = await world({ options: { maxSignedRequestAgeSeconds: 60 } });
    const signed = signCallerIdentityRequest({ credentials: test.key, date: test.clock.now() - age });
    expect(await codeOf(test.call('login', { fields: { ...callerIdentityFields(signed) } }))).toBe(verdict);
    expect(test.sts.calls).toHaveLength(verdict === 'allowed' ? 1 : 0);
  });

  it.each([0, 901, 1.5])('has no maximum age of %d s', (maxSignedRequestAgeSeconds) => {
    expect(() => createIamWorld({ options: { maxSignedRequestAgeSeconds } })).toThrow('maxSignedRequestAgeSeconds');
  });
});
