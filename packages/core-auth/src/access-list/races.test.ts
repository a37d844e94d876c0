/** Renewal against deletion, tidy against renewal and login (ACCESS-6): nothing deleted comes back, nothing renewed is lost. */
import { createFaultStorage } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, START } from '../../test/create-test-method.js';
import { deleteRecords } from '../maintenance/tidy-sweep.js';
import type { MethodContext } from '../method-context.js';

const SEEDS = Array.from({ length: 12 }, (_, at) => at + 1);

/** Three processes on one storage, each call pausing for a seeded number of turns. */
async function world(seed: number) {
  const first = createTestMethod();
  const instance = first.cloud.launchInstance({ instanceId: 'i-1' });
  await first.putRole();
  const { client_token: token } = await first.login(instance, { nonce: 'N' });
  const process = (at: number) =>
    createTestMethod({
      beside: first,
      storage: (inner) => createFaultStorage(inner, { seed: seed * 10 + at, maxYields: 6, commits: { conflict: 0.1 } }),
    });
  return { first, instance, token, one: process(1), two: process(2), three: process(3) };
}

/** Lets the other side run ahead by a while that differs from seed to seed. */
async function after<T>(turns: number, task: () => Promise<T>): Promise<T> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return task();
}

/** As tidy does it. @returns whether the entry went. */
async function deleteSeen({ ports, collections }: MethodContext, version: string): Promise<boolean> {
  const { removed } = await deleteRecords(ports, [{ key: `${collections.accessList.prefix}i-1`, version }]);
  return removed === 1;
}

/** Plays every seed; answers how often each ending came, so that a test can tell that it met both. */
async function endings(play: (seed: number) => Promise<string>): Promise<Record<string, number>> {
  const count: Record<string, number> = {};
  for (const seed of SEEDS) {
    const ending = await play(seed);
    count[ending] = (count[ending] ?? 0) + 1;
  }
  return count;
}

describe('a deletion by the operator', () => {
  it('is never undone by renewals under way', async () => {
    const met = await endings(async (seed) => {
      const { first, token, one, two, three } = await world(seed);
      const renewals = [one, two, one].map((method) => codeOf(method.call('token.renew-self', { token })));
      const deletion = after(seed * 3, () => three.host('access-list.delete', { instance_id: 'i-1' }));
      const codes = await Promise.all(renewals);
      await deletion;
      expect(await first.entry('i-1')).toBeUndefined();
      expect(await codeOf(first.call('token.renew-self', { token }))).toBe('access_list_entry_missing');
      return String(codes.includes('access_list_entry_missing'));
    });
    expect(Object.keys(met).sort()).toEqual(['false', 'true']);
  });

  it('of the token is never undone by its renewal', async () => {
    const met = await endings(async (seed) => {
      const { first, token, one, two } = await world(seed);
      const renewal = codeOf(one.call('token.renew-self', { token }));
      await after(seed % 20, () => two.call('token.revoke-self', { token }));
      const code = await renewal;
      expect(await first.tokens()).toEqual([]);
      return String(code === 'allowed');
    });
    expect(Object.keys(met).sort()).toEqual(['false', 'true']);
  });
});

describe("tidy's delete", () => {
  it('takes an entry or leaves it to its renewal, never both', async () => {
    const met = await endings(async (seed) => {
      const { first, token, one, two } = await world(seed);
      const seen = await first.inside.collections.accessList.get('i-1');
      const [renewal, deleted] = await Promise.all([
        codeOf(one.call('token.renew-self', { token })),
        after(seed % 20, () => deleteSeen(two.context, seen?.version ?? '')),
      ]);
      // An injected conflict makes tidy leave an entry that nobody renewed: the next run takes it.
      const stands = (await first.entry('i-1')) !== undefined;
      expect(stands).toBe(!deleted);
      expect(renewal).toBe(deleted ? 'access_list_entry_missing' : 'allowed');
      return String(renewal);
    });
    expect(Object.keys(met).sort()).toEqual(['access_list_entry_missing', 'allowed']);
  });

  it('never loses the entry of a login that meets an expired one', async () => {
    const met = await endings(async (seed) => {
      const { first, instance, one, two, three } = await world(seed);
      await first.putEntry('i-1', { clientNonce: 'mine', expiresAt: START });
      first.clock.advance(1000);
      const seen = await first.inside.collections.accessList.get('i-1');
      const [login, other, deleted] = await Promise.all([
        codeOf(one.login(instance, { nonce: 'mine' })),
        codeOf(three.login(instance, { nonce: 'other' })),
        after(seed % 20, () => deleteSeen(two.context, seen?.version ?? '')),
      ]);
      expect([login, other].sort()).toEqual(['allowed', 'nonce_mismatch']);
      expect((await first.entry('i-1'))?.clientNonce).toBe(login === 'allowed' ? 'mine' : 'other');
      return String(deleted);
    });
    expect(Object.keys(met).sort()).toEqual(['false', 'true']);
  });

  it('reports what it did and passes other failures on', async () => {
    const { first } = await world(1);
    const seen = await first.inside.collections.accessList.get('i-1');
    expect(await deleteSeen(first.inside, seen?.version ?? '')).toBe(true);
    expect(await deleteSeen(first.inside, seen?.version ?? '')).toBe(false);
    await first.memory.close();
    await expect(deleteSeen(first.inside, seen?.version ?? '')).rejects.toMatchObject({
      code: 'closed',
    });
  });
});
