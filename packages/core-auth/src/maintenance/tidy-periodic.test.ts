/** The periodic run (TIDY-6, TIDY-9): at the first tick, then hourly; tokens past their end go with it. */
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, DAY, START, tokenParameters } from '../../test/create-test-method.js';

const HOUR = 3_600_000;
const CONFIG = 'config.tidy.identity-accesslist.write';

describe('the periodic run', () => {
  it('comes at the first tick, then an hour after, whatever ticks between', async () => {
    const test = createTestMethod();
    const put = () => test.putEntry('i-1', { expiresAt: START - 10 * DAY });
    const tick = async () => {
      await test.method.runPeriodicTidy();
      return (await test.entry('i-1')) === undefined ? 'swept' : 'not due';
    };
    await put();
    expect(await tick()).toBe('swept');
    await put();
    expect(await tick()).toBe('not due');
    test.clock.advance(HOUR - 1);
    expect(await tick()).toBe('not due');
    test.clock.advance(1);
    expect(await tick()).toBe('swept');
  });

  it('is not put off by a clock that is set back', async () => {
    const test = createTestMethod();
    await test.method.runPeriodicTidy();
    test.clock.set(START - DAY);
    await test.putEntry('i-1', { expiresAt: START - 10 * DAY });
    await test.method.runPeriodicTidy();
    expect(await test.entry('i-1')).toBeUndefined();
  });

  it('takes its buffer from the settings, 72 hours where there are none', async () => {
    const test = createTestMethod();
    await test.putEntry('i-1', { expiresAt: START - 2 * HOUR });
    await test.method.runPeriodicTidy();
    expect(await test.entry('i-1')).toBeDefined();
    await test.host(CONFIG, {}, { safety_buffer: '1h' });
    test.clock.advance(HOUR);
    await test.method.runPeriodicTidy();
    expect(await test.entry('i-1')).toBeUndefined();
  });

  it('leaves a list alone where it is disabled, and only that one', async () => {
    const test = createTestMethod();
    const { denyList } = test.inside.collections;
    await test.host(CONFIG, {}, { disable_periodic_tidy: true });
    await test.putEntry('i-1', { expiresAt: START - 10 * DAY });
    const denied = { tag: 't', createdAt: 0, expiresAt: START - 10 * DAY };
    await test.memory.commit([denyList.put('t', denied, 'absent', denied.expiresAt)]);
    await test.method.runPeriodicTidy();
    expect(await test.entry('i-1')).toBeDefined();
    expect(await denyList.allIds()).toEqual([]);
    const { data } = await test.host('tidy.status');
    expect(data?.['identity-accesslist']).toMatchObject({ running: false, examined: 0, started_time: null });
  });

  it('is abandoned for this tick only where settings cannot be read', async () => {
    const test = createTestMethod();
    const { tidyConfigs } = test.inside.collections;
    const key = `${tidyConfigs.prefix}roletag-denylist`;
    await test.memory.commit([{ type: 'put', key, value: 'broken', if: 'any' }]);
    await test.putEntry('i-1', { expiresAt: START - 10 * DAY });
    expect(await codeOf(test.method.runPeriodicTidy())).toBe('internal');
    expect(await test.entry('i-1')).toBeDefined();
    await test.memory.commit([{ type: 'delete', key, if: 'any' }]);
    await test.method.runPeriodicTidy();
    expect(await test.entry('i-1')).toBeUndefined();
  });

  it('purges tokens an hour past their end, and no other', async () => {
    const test = createTestMethod();
    const instance = test.cloud.launchInstance({ instanceId: 'i-1' });
    await test.putRole({ token: tokenParameters({ ttlSeconds: 60 }) });
    await test.login(instance, { nonce: 'N' });
    await test.method.createRootToken();
    test.clock.advance(60_000 + HOUR);
    const young = await test.login(instance, { nonce: 'N' });
    test.clock.advance(1);
    await test.method.runPeriodicTidy();
    expect(await test.tokens()).toHaveLength(2);
    expect(await codeOf(test.call('token.lookup-self', { token: young.client_token }))).toBe('allowed');
    expect((await test.host('tidy.status')).data?.['tokens']).toMatchObject({ examined: 1, removed: 1 });
  });
});
