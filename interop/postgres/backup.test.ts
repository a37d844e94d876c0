/** Backup and restore on PostgreSQL (STORE-8): of one moment under load, all or nothing, also from a database file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Storage } from '@postern/ports';
import { backUp, restore } from '@postern/server/command';
import { openPostgresStorage } from '@postern/storage-postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, createCluster } from './cluster.js';

let cluster: Cluster;
let folder = '';
beforeAll(async () => {
  cluster = await createCluster();
  folder = mkdtempSync(join(tmpdir(), 'postern-pg-backup-'));
});
afterAll(async () => {
  await cluster.remove();
  rmSync(folder, { recursive: true, force: true });
});

const terminal = { printOut: () => undefined, printError: () => undefined, isInteractive: false, wantsColour: false };
const path = (name: string) => join(folder, name);

function configFor(storage: object, name: string): string {
  writeFileSync(path(name), JSON.stringify({ storage }));
  return path(name);
}
const postgres = (schema: string) => ({ postgres: { url: cluster.connectionString, schema } });

async function keysOf(storage: Storage, prefix = ''): Promise<readonly string[]> {
  const keys: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await storage.list(prefix, { after, limit: 1_000 });
    keys.push(...page.items.map(({ key }) => key));
    if (page.next === undefined) return keys;
    after = page.next;
  }
}

describe('O1: a backup of PostgreSQL', () => {
  it('under load holds pairs that were committed together, and restores them into the same and other storages', async () => {
    const config = configFor(postgres('drill'), 'drill.json');
    const storage = await openPostgresStorage({ ...cluster.connection, schema: 'drill' });
    let isOver = false;
    const load = Array.from({ length: 4 }, async (_, of) => {
      for (let at = 0; !isOver; at += 1) {
        await storage.commit([
          { type: 'put', key: `a/${of}/${at}`, value: 'v', if: 'absent' },
          { type: 'put', key: `z/${of}/${at}`, value: 'v', if: 'absent' },
          { type: 'append', log: 'l', value: `${of}/${at}` },
        ]);
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await backUp(config, path('drill.backup'), terminal);
    isOver = true;
    await Promise.all(load);
    const last = await storage.commit([{ type: 'put', key: 'last', value: 'v', if: 'any' }]);

    await restore({ config, from: path('drill.backup'), replace: true }, terminal);
    const file = configFor({ file: './moved.db' }, 'moved.json');
    await restore({ config: file, from: path('drill.backup'), replace: false }, terminal);
    await backUp(file, path('moved.backup'), terminal);
    await restore(
      { config: configFor(postgres('moved'), 'm.json'), from: path('moved.backup'), replace: false },
      terminal,
    );

    const moved = await openPostgresStorage({ ...cluster.connection, schema: 'moved' });
    for (const restored of [storage, moved]) {
      const left = await keysOf(restored, 'a/');
      expect(left.length).toBeGreaterThan(100);
      expect(await keysOf(restored, 'z/')).toEqual(left.map((key) => key.replace('a/', 'z/')));
      expect((await restored.readLog('l', { limit: 1_000 })).length).toBe(Math.min(left.length, 1_000));
      expect(await restored.get('last')).toBeUndefined();
      const next = await restored.commit([{ type: 'put', key: 'last', value: 'v', if: 'absent' }]);
      expect(BigInt(next.versions[0] ?? 0)).toBeGreaterThan(BigInt(last.versions[0] ?? 0));
    }
    await moved.close();
    await storage.close();
  }, 60_000);

  it('is not restored under a running server, nor where something is, nor from a torn file', async () => {
    const config = configFor(postgres('live'), 'live.json');
    const storage = await openPostgresStorage({ ...cluster.connection, schema: 'live' });
    await storage.commit([{ type: 'put', key: 'k', value: 'v', if: 'absent' }]);
    const failure = (replace: boolean, from: string) =>
      restore({ config, from: path(from), replace }, terminal).then(() => 'none', String);
    expect(await failure(false, 'drill.backup')).toContain('--replace');
    writeFileSync(path('torn.backup'), '{"format":"postern-backup","version":1}\n');
    expect(await failure(true, 'torn.backup')).toContain('Nothing was restored');
    const beat = setInterval(() => {
      void storage.commit([{ type: 'put', key: 'postern/server/readiness', value: '{}', if: 'any' }]);
    }, 500);
    await expect.poll(() => storage.get('postern/server/readiness')).toBeDefined();
    expect(await failure(true, 'drill.backup')).toContain('stop all servers');
    clearInterval(beat);
    expect(await keysOf(storage)).toEqual(['k', 'postern/server/readiness']);
    await storage.close();
  }, 30_000);
});
