/** Tidying keeps the entries of instances that still exist (TIDY-10). */
import { describe, expect, it } from 'vitest';
import { ACCOUNT, createTestMethod, DAY, START, type TestMethodOptions } from '../../test/create-test-method.js';

const OTHER_ACCOUNT = '222222222222';

function world(how: TestMethodOptions = {}) {
  const test = createTestMethod(how);
  const sweep = async (fields: Readonly<Record<string, unknown>> = {}) => {
    await test.host('tidy.identity-accesslist', {}, fields);
    await test.method.settled();
    const { data } = await test.host('tidy.status');
    return data?.['identity-accesslist'] as Readonly<Record<string, unknown>>;
  };
  const putExpired = (id: string, more = {}) => test.putEntry(id, { expiresAt: START - 10 * DAY, ...more });
  const left = () => test.inside.collections.accessList.allIds();
  return { ...test, sweep, putExpired, left };
}

describe('tidying the access list', () => {
  it('W3: keeps entries of instances that exist, running or stopped', async () => {
    const { cloud, sweep, putExpired, left } = world();
    cloud.launchInstance({ instanceId: 'i-1' });
    cloud.launchInstance({ instanceId: 'i-2' }).stop();
    cloud.launchInstance({ instanceId: 'i-3' }).terminate();
    for (const id of ['i-1', 'i-2', 'i-3', 'i-4']) await putExpired(id);
    expect(await sweep()).toMatchObject({ examined: 4, removed: 2, kept: 2, unverified: 0, failed: 0 });
    expect(await left()).toEqual(['i-1', 'i-2']);
  });

  it('W3: removes them too where the operator says so', async () => {
    const { cloud, sweep, putExpired, left } = world();
    cloud.launchInstance({ instanceId: 'i-1' });
    await putExpired('i-1');
    cloud.clearCalls();
    expect(await sweep({ tidy_keep_existing_instances: false })).toMatchObject({ removed: 1, kept: 0 });
    expect([await left(), cloud.calls]).toEqual([[], []]);
  });

  it('W3: asks by the hour as well, unless the settings say otherwise', async () => {
    const { cloud, putExpired, method, left, host, clock } = world();
    cloud.launchInstance({ instanceId: 'i-1' });
    await putExpired('i-1');
    await method.runPeriodicTidy();
    expect(await left()).toEqual(['i-1']);
    await host('config.tidy.identity-accesslist.write', {}, { tidy_keep_existing_instances: false });
    clock.advance(3_600_000);
    await method.runPeriodicTidy();
    expect(await left()).toEqual([]);
  });

  it.each(['unavailable', 'denied', 'misconfigured'] as const)(
    'W3: keeps all of an account and region where the cloud is %s, says so, and asks no further',
    async (failure) => {
      const { cloud, sweep, putExpired, left } = world();
      cloud.behaviour.describeInstance.fail(failure);
      for (let at = 0; at < 250; at += 1) await putExpired(`i-${at}`);
      expect(await sweep()).toMatchObject({ examined: 250, removed: 0, kept: 0, unverified: 250, last_error: null });
      expect(await left()).toHaveLength(250);
      expect(cloud.calls).toHaveLength(100);
    },
  );

  it('W3: goes on with other accounts where one is not associated', async () => {
    const { sweep, putExpired, left } = world();
    await putExpired('i-1', { accountId: OTHER_ACCOUNT });
    await putExpired('i-2', { accountId: ACCOUNT });
    expect(await sweep()).toMatchObject({ removed: 1, unverified: 1 });
    expect(await left()).toEqual(['i-1']);
  });

  it('W3: keeps entries that do not say where their instance is, until a renewal or login says it', async () => {
    const { sweep, putExpired, left } = world();
    await putExpired('i-1', { accountId: undefined, region: undefined });
    expect(await sweep()).toMatchObject({ removed: 0, unverified: 1 });
    expect(await left()).toEqual(['i-1']);
  });

  it('W3: believes no answer about another instance', async () => {
    const instance = { instanceId: 'i-other', state: 'terminated' };
    const { sweep, putExpired, left } = world({
      ports: ({ cloud }) => ({
        cloud: {
          describeInstance: async (query) =>
            Object.assign((await cloud.describeInstance(query)) ?? {}, instance) as never,
        },
      }),
    });
    await putExpired('i-1');
    expect(await sweep()).toMatchObject({ removed: 0, unverified: 1 });
    expect(await left()).toEqual(['i-1']);
  });

  it('fails where the cloud breaks its contract, and removes nothing', async () => {
    const { sweep, putExpired, left } = world({
      ports: () => ({ cloud: { describeInstance: () => Promise.reject(new TypeError('a bug')) } }),
    });
    await putExpired('i-1');
    expect(await sweep()).toMatchObject({ removed: 0, last_error: 'internal' });
    expect(await left()).toEqual(['i-1']);
  });

  it('writes no more than older nodes read until the upgrade is finalized (STORE-5)', async () => {
    const { cloud, sweep, putRole, login, entry, memory } = world({ options: { recordFormat: () => 1 } });
    await putRole();
    await login(cloud.launchInstance({ instanceId: 'i-1' }));
    expect(await entry('i-1')).not.toHaveProperty('accountId');
    expect(await sweep()).toMatchObject({ kept: 0, unverified: 0, last_error: null });
    const { items } = await memory.list('', { limit: 100, values: true });
    expect(JSON.stringify(items)).not.toContain('unverified');
  });
});
