/** What a process committed and did not tell (AUDIT-6): the next one of its name tells it, or another once it is dead. */
import { createFaultStorage, createManualClock } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { createTestMethod, START } from '../../test/create-test-method.js';
import { withMethods } from '../../test/intercept-commits.js';

describe('an event that was committed and not told', () => {
  it('is recorded by the next process of the same name, once', async () => {
    const first = createTestMethod({
      options: { auditNode: 'n' },
      audit: () => {
        throw new Error('down');
      },
    });
    await first.putRole();
    await first.login(first.cloud.launchInstance({ instanceId: 'i-1' }));
    const second = createTestMethod({ beside: first, options: { auditNode: 'n' } });
    await second.method.feedAudit();
    await second.method.feedAudit();
    expect(second.events).toMatchObject([{ operation: 'login', principal: 'i-1' }]);
  });

  it('is recorded by another process once this one has written nothing for five minutes by its clock', async () => {
    const first = createTestMethod({
      audit: () => {
        throw new Error('down');
      },
    });
    await first.putRole();
    await first.login(first.cloud.launchInstance({ instanceId: 'i-1' }));
    const second = createTestMethod({ beside: first });
    await second.method.feedAudit();
    first.clock.advance(299_000);
    await second.method.feedAudit();
    expect(second.events).toEqual([]);
    first.clock.advance(1_000);
    await second.method.feedAudit();
    await second.method.feedAudit();
    expect(second.events).toMatchObject([{ operation: 'login', principal: 'i-1' }]);
  });

  it('is left to a living process by one whose clock jumps, where the storage has a clock', async () => {
    const first = createTestMethod({
      audit: () => {
        throw new Error('down');
      },
    });
    await first.putRole();
    await first.login(first.cloud.launchInstance({ instanceId: 'i-1' }));
    const clock = createManualClock(START);
    const second = createTestMethod({
      beside: first,
      storage: (inner) => withMethods(inner, { now: async () => first.clock.now() }),
      ports: () => ({ clock }),
    });
    await second.method.feedAudit();
    clock.advance(65 * 60_000);
    await second.method.feedAudit();
    expect(second.events).toEqual([]);
    first.clock.advance(300_000);
    await second.method.feedAudit();
    expect(second.events).toMatchObject([{ operation: 'login', principal: 'i-1' }]);
  });

  it('is recorded where the answer of its commit was lost', async () => {
    const faults: { strike?: () => void } = {};
    const test = createTestMethod({
      storage: (inner) => {
        const storage = createFaultStorage(inner);
        faults.strike = () => storage.failNextCommit('applied_unknown');
        return storage;
      },
    });
    await test.putRole();
    await test.host('role.list');
    faults.strike?.();
    const { accessor } = await test.login(test.cloud.launchInstance({ instanceId: 'i-1' }));
    await test.method.feedAudit();
    expect(test.events.filter(({ operation }) => operation === 'login')).toMatchObject([{ accessor }]);
  });
});
