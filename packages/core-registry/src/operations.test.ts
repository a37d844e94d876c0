/** The catalogue of operations says what the registry does. */
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createTestRegistry, MODULE, V1 } from '../test/create-test-registry.js';
import { OPERATIONS, type OperationId, type RegistryOperation } from './operations.js';

// Keys of the catalogue are exactly its ids.
const CATALOGUE = Object.entries(OPERATIONS) as unknown as [OperationId, RegistryOperation][];

describe('the catalogue of operations', () => {
  it('is what the registry hands out', () => {
    expect(createTestRegistry().registry.operations).toBe(OPERATIONS);
  });

  it('tells what each answers', async () => {
    const { registry, manager, reader } = createTestRegistry();
    const answers: Partial<Record<OperationId, unknown>> = {
      'registry.version.deprecate': await registry.open(manager()).deprecate(V1, {
        reason: 'r',
        replacement: { version: '2.0.0' },
      }),
      'registry.version.revoke': await registry.open(manager()).revoke(V1, { reason: 's' }),
      'registry.version.status': await registry.open(reader()).status(V1),
      'registry.version.statuses': await registry.open(reader()).statuses([V1, { ...V1, version: '9.9.9' }]),
      'registry.version.history': await registry.open(reader()).history(V1, { limit: 1 }),
      'registry.version.read': await registry.open(reader()).readVersion(V1),
      'registry.module.versions': await registry.open(reader()).listVersions(MODULE),
      'registry.module.latest': await registry.open(reader()).latest(MODULE),
      'registry.module.latest-by-provider': await registry.open(reader()).latestByProvider(MODULE),
      'registry.module.list': await registry.open(reader()).listModules({ limit: 1 }),
      'registry.access': await registry.open(reader()).access('acme'),
      'registry.version.unrevoke': await registry.open(manager()).unrevoke(V1),
      'registry.version.download': await registry.open(reader()).authorizeDownload(V1),
      'registry.version.reinstate': await registry.open(manager()).reinstate(V1),
      'registry.module.deprecate-range': await registry.open(manager()).deprecateRange(MODULE, {
        range: '1.0',
        dryRun: true,
      }),
    };
    for (const [id, operation] of CATALOGUE) {
      if (operation.output === undefined) continue;
      const answer = answers[id];
      expect(answer, id).toBeDefined();
      // A schema that misses a member strips it.
      expect(operation.output.parse(answer)).toEqual(answer);
    }
  });

  it('can be made into documents', () => {
    for (const [, { input, output }] of CATALOGUE) {
      if (input !== undefined) expect(z.toJSONSchema(input, { io: 'input' })).toHaveProperty('type');
      if (output !== undefined) expect(z.toJSONSchema(output)).toHaveProperty('type');
    }
  });
});

describe('the registry', () => {
  it('refuses a storage prefix that would run into others', () => {
    expect(() => createTestRegistry({ storagePrefix: 'postern' })).toThrow('storagePrefix: must end with a slash');
  });

  it('keeps everything below its prefix', async () => {
    const { registry, manager, memory } = createTestRegistry({ storagePrefix: 'mine/' });
    await registry.open(manager()).deprecate(V1, {});
    expect((await memory.list('mine/acme/', { limit: 10 })).items).toHaveLength(3);
    const { items } = await memory.list('', { limit: 10 });
    expect(items.filter(({ key }) => !key.startsWith('mine/'))).toEqual([]);
  });
});
