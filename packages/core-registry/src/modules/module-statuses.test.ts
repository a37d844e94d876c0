/** What is kept of modules in memory has a bound. */
import { createMemoryStorage } from '@postern/storage-memory';
import { describe, expect, it } from 'vitest';
import { createTestRegistry, MODULE, V1 } from '../../test/create-test-registry.js';
import { createStatusStore } from '../store/status-store.js';
import { createModuleStatuses } from './module-statuses.js';

describe('statuses in memory', () => {
  it('go when others come, the one asked for longest ago first', async () => {
    const storage = createMemoryStorage();
    const { registry, manager } = createTestRegistry({ storage });
    for (const version of ['1.0.0', '1.1.0', '2.0.0']) await registry.open(manager()).deprecate({ ...V1, version }, {});
    const read = createModuleStatuses(
      createStatusStore(storage, 'postern/registry/', () => 1),
      6,
    );
    const first = await read(MODULE);
    expect(first.statuses.size).toBe(3);
    // Weighs four; two modules without a transition weigh one each.
    await read({ ...MODULE, name: 'a' });
    await read({ ...MODULE, name: 'b' });
    expect(await read(MODULE)).toBe(first);
    await read({ ...MODULE, name: 'c' });
    // `a` went, not the one asked for since.
    expect(await read(MODULE)).toBe(first);
    for (const name of ['d', 'e', 'f']) await read({ ...MODULE, name });
    expect(await read(MODULE)).not.toBe(first);
  });
});
