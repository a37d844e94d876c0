/** The keys of batch tokens: made once, replaced by the Clock or on demand, kept as long as a token may live (BATCH-2). */
import { createFaultStorage } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, DAY, START, tokenParameters } from '../../test/create-test-method.js';
import { createKeyRing, MAX_KEYS_ON_DEMAND } from './key-ring.js';

function world() {
  const test = createTestMethod();
  const ring = createKeyRing(test.inside);
  const seal = () => ring.sealingKey(test.clock.now() + 60_000);
  return { ...test, ring, seal };
}

/** Method with a batch role, and a way to log in. */
async function loginWorld(ttlSeconds = 3600) {
  const test = createTestMethod();
  const instance = test.cloud.launchInstance({ instanceId: 'i-1' });
  await test.putRole({ token: tokenParameters({ type: 'batch', ttlSeconds }) });
  const login = async () => (await test.login(instance, { nonce: 'N' })).client_token;
  const use = (token: string) => codeOf(test.call('token.lookup-self', { token }));
  return { ...test, enter: login, use };
}

describe('the key ring', () => {
  it('has one key for a day, then another, and finds both', async () => {
    const { seal, ring, clock } = world();
    const first = await seal();
    expect(first.key).toHaveLength(32);
    clock.advance(DAY - 1);
    expect(await seal()).toEqual(first);
    clock.advance(1);
    const second = await seal();
    expect(second.id).not.toBe(first.id);
    expect(await ring.find(first.id)).toEqual(first);
    expect(await ring.find(second.id)).toEqual(second);
  });

  it('drops a key when no token under it can live, and is bounded', async () => {
    const { seal, ring, clock } = world();
    const first = await seal();
    // The greatest lifetime is 32 days: sealed in its last moment, a token lives until the 33rd.
    clock.set(START + 33 * DAY - 1);
    expect(await ring.find(first.id)).toEqual(first);
    clock.set(START + 33 * DAY);
    expect(await ring.find(first.id)).toBeUndefined();
    for (let day = 0; day < 100; day += 1) {
      clock.advance(DAY);
      await seal();
    }
    expect(await ring.rotate(false)).toBeLessThanOrEqual(34);
  });

  it('keeps no more keys where tokens live long', async () => {
    const { clock, inside } = createTestMethod({ options: { maxTtlSeconds: 10 * 365 * 86_400 } });
    const ring = createKeyRing(inside);
    for (let month = 0; month < 240; month += 1) {
      clock.advance(30 * DAY);
      await ring.sealingKey(clock.now() + 3650 * DAY);
    }
    expect(await ring.rotate(false)).toBeLessThanOrEqual(35);
  });

  it('makes a new key for a token that would outlive the one at hand', async () => {
    const { inside, seal, clock, ring } = world();
    const first = await seal();
    const longer = createKeyRing({ ...inside, options: { ...inside.options, maxTtlSeconds: 100 * 86_400 } });
    const second = await longer.sealingKey(clock.now() + 90 * DAY);
    expect(second.id).not.toBe(first.id);
    clock.advance(89 * DAY);
    expect(await ring.find(second.id)).toEqual(second);
  });

  it('is made once by processes that come at the same time', async () => {
    const first = createTestMethod();
    const rings = Array.from({ length: 8 }, (_, seed) => {
      const storage = createFaultStorage(first.memory, { seed, maxYields: 4, commits: { conflict: 0.2 } });
      return createKeyRing({ ...first.inside, ports: { ...first.inside.ports, storage } });
    });
    const keys = await Promise.all(rings.map((ring) => ring.sealingKey(START + 1)));
    expect(new Set(keys.map(({ id }) => id)).size).toBe(1);
  });

  it('that cannot be read is an internal error', async () => {
    const { seal, ring, memory } = world();
    const { id } = await seal();
    const record = await memory.get('postern/auth/batch-keys/ring');
    const value = record?.value.replace(/"key":"[^"]*"/, '"key":"short"') ?? '';
    await memory.commit([{ type: 'put', key: 'postern/auth/batch-keys/ring', value, if: 'any' }]);
    expect(await codeOf(ring.find(id))).toBe('internal');
    expect(await codeOf(seal())).toBe('internal');
  });
});

describe('a rotation on demand', () => {
  it('seals with a new key and keeps tokens of the old one', async () => {
    const { enter, use, host } = await loginWorld();
    const before = await enter();
    expect((await host('batch-keys.rotate')).data).toEqual({ keys: 2 });
    const after = await enter();
    expect(after.slice(0, 18)).not.toBe(before.slice(0, 18));
    expect([await use(before), await use(after)]).toEqual(['allowed', 'allowed']);
  });

  it('that forgets ends every batch token, and no other', async () => {
    const { enter, use, host, method } = await loginWorld();
    const root = await method.createRootToken();
    const before = await enter();
    expect((await host('batch-keys.rotate', {}, { forget: true })).data).toEqual({ keys: 1 });
    expect([await use(before), await use(await enter()), await use(root)]).toEqual([
      'permission_denied',
      'allowed',
      'allowed',
    ]);
  });

  it('is for those who may', async () => {
    const { call } = createTestMethod();
    expect(await codeOf(call('batch-keys.rotate'))).toBe('permission_denied');
  });

  it('comes to an end, where rotation by the clock does not', async () => {
    const { host, ring, clock } = world();
    for (let at = 0; at < MAX_KEYS_ON_DEMAND; at += 1) await host('batch-keys.rotate');
    expect(await codeOf(host('batch-keys.rotate'))).toBe('batch_key_limit');
    clock.advance(DAY);
    expect(await codeOf(ring.sealingKey(clock.now() + 1))).toBe('allowed');
    expect((await host('batch-keys.rotate', {}, { forget: true })).data).toEqual({ keys: 1 });
  });

  it('leaves tokens of a day ago valid until their own end', async () => {
    const { enter, use, clock } = await loginWorld(30 * 86_400);
    const token = await enter();
    clock.advance(29 * DAY);
    await enter();
    expect(await use(token)).toBe('allowed');
    clock.advance(DAY);
    expect(await use(token)).toBe('permission_denied');
  });
});
