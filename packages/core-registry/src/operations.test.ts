/** The catalogue of operations says what the registry does. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createTestRegistry, MODULE, V1 } from '../test/create-test-registry.js';
import { createRegistry } from './create-registry.js';
import { OPERATIONS, type OperationId } from './operations.js';

describe('the catalogue of operations', () => {
  it('has each id once, and is what the registry hands out', () => {
    const { registry } = createTestRegistry();
    expect(registry.operations).toBe(OPERATIONS);
    const ids = OPERATIONS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has the endpoints of the specification at their paths', () => {
    const where = (id: OperationId) => {
      const found = OPERATIONS.find((each) => each.id === id);
      return [found?.verb, found?.path];
    };
    const version = ':organization_name/:module_name/:module_provider/:module_version';
    const patch = `/api/v2/organizations/:organization_name/registry-modules/private/${version}`;
    expect(where('registry.version.deprecate')).toEqual(['PATCH', patch]);
    expect(where('registry.version.reinstate')).toEqual(['PATCH', patch]);
    expect(where('registry.version.read')).toEqual(['GET', `/api/registry/v1/modules/${version}`]);
    expect(where('registry.module.versions')).toEqual([
      'GET',
      '/api/registry/v1/modules/:organization_name/:module_name/:module_provider/versions',
    ]);
  });

  it('tells what each answers', async () => {
    const { registry, manager, reader } = createTestRegistry();
    const answers: Partial<Record<OperationId, unknown>> = {
      'registry.version.deprecate': await registry.deprecate(manager(), V1, {
        reason: 'r',
        replacement: { version: '2.0.0' },
      }),
      'registry.version.revoke': await registry.revoke(manager(), V1, { reason: 's' }),
      'registry.version.status': await registry.status(reader(), V1),
      'registry.version.statuses': await registry.statuses(reader(), [V1, { ...V1, version: '9.9.9' }]),
      'registry.version.history': await registry.history(reader(), V1, { limit: 1 }),
      'registry.version.read': await registry.readVersion(reader(), V1),
      'registry.module.versions': await registry.listVersions(reader(), MODULE),
      'registry.module.latest': await registry.latest(reader(), MODULE),
      'registry.module.latest-by-provider': await registry.latestByProvider(reader(), MODULE),
      'registry.module.list': await registry.listModules(reader(), { limit: 1 }),
      'registry.access': await registry.access(reader(), 'acme'),
      'registry.version.unrevoke': await registry.unrevoke(manager(), V1),
      'registry.version.download': await registry.authorizeDownload(reader(), V1),
      'registry.version.reinstate': await registry.reinstate(manager(), V1),
      'registry.module.deprecate-range': await registry.deprecateRange(manager(), MODULE, {
        range: '1.0',
        dryRun: true,
      }),
    };
    for (const operation of OPERATIONS) {
      if (!('output' in operation)) continue;
      const answer = answers[operation.id];
      expect(answer, operation.id).toBeDefined();
      // Every member is told of: a schema that forgets one strips it.
      expect(operation.output.parse(answer)).toEqual(answer);
    }
  });

  it('can be made into documents', () => {
    for (const operation of OPERATIONS) {
      if ('input' in operation) expect(z.toJSONSchema(operation.input, { io: 'input' })).toHaveProperty('type');
      if ('output' in operation) expect(z.toJSONSchema(operation.output)).toHaveProperty('type');
    }
  });
});

describe('the registry', () => {
  it('refuses a storage prefix that would run into others', () => {
    // No port is touched before that.
    expect(() => createRegistry({} as never, { storagePrefix: 'postern' })).toThrow(TypeError);
  });

  it('keeps everything below its prefix', async () => {
    const { registry, manager, memory } = createTestRegistry({ storagePrefix: 'mine/' });
    await registry.deprecate(manager(), V1, {});
    expect((await memory.list('mine/acme/', { limit: 10 })).items).toHaveLength(3);
    expect((await memory.list('', { limit: 10 })).items).toHaveLength(3);
  });
});
