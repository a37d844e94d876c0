/** What a run costs follows what has expired, not what is stored (TIDY-8). */
import type { Storage } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { ACCOUNT, createTestMethod, DAY, START } from '../../test/create-test-method.js';

const EXPIRED = 1000;

interface Cost {
  calls: number;
  records: number;
}

function counting(inner: Storage, cost: Cost): Storage {
  const count = <T>(answer: T, records: number): T => {
    cost.calls += 1;
    cost.records += records;
    return answer;
  };
  return {
    get: async (...given) => count(await inner.get(...given), 1),
    getMany: async (keys, ...given) => count(await inner.getMany(keys, ...given), keys.length),
    list: async (...given) => {
      const page = await inner.list(...given);
      return count(page, page.items.length);
    },
    listExpired: async (...given) => {
      const page = await inner.listExpired(...given);
      return count(page, page.items.length);
    },
    readLog: (...given) => inner.readLog(...given),
    removeFromLog: (...given) => inner.removeFromLog(...given),
    commit: async (operations, ...given) => count(await inner.commit(operations, ...given), operations.length),
    close: () => inner.close(),
  };
}

async function costAmong(total: number): Promise<Cost> {
  const cost: Cost = { calls: 0, records: 0 };
  const test = createTestMethod({ storage: (inner) => counting(inner, cost) });
  const { accessList } = test.inside.collections;
  for (let at = 0; at < total; at += 25) {
    const batch = Array.from({ length: 25 }, (_, offset) => {
      const expiresAt = at + offset < EXPIRED ? START - 10 * DAY + at : START + at;
      const entry = {
        role: 'r',
        clientNonce: 'N',
        disallowReauthentication: false,
        pendingTime: '2020-01-01T00:00:00Z',
        createdAt: START - 40 * DAY,
        updatedAt: START - 40 * DAY,
        expiresAt,
        accountId: ACCOUNT,
        region: 'us-east-1',
      };
      return accessList.put(`i-${at + offset}`, entry, 'absent', expiresAt);
    });
    await test.memory.commit(batch);
  }
  await test.host('tidy.identity-accesslist');
  await test.method.settled();
  const { data } = await test.host('tidy.status');
  expect(data?.['identity-accesslist']).toMatchObject({ examined: EXPIRED, removed: EXPIRED, failed: 0 });
  return cost;
}

describe('the cost of a run', () => {
  it('over 1,000 expired entries is the same among 1,000 and among 20,000', async () => {
    const few = await costAmong(1000);
    const many = await costAmong(20_000);
    const ratio = many.records / few.records;
    console.log(
      `tidy of 1,000 expired: ${few.records} records among 1,000, ${many.records} among 20,000, ratio ${ratio}`,
    );
    expect(ratio).toBeLessThanOrEqual(2);
    expect(many.calls / few.calls).toBeLessThanOrEqual(2);
  }, 60_000);
});
