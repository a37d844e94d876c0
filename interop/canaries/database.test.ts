/**
 * What a copy of the database gives away (STORE-4, TOKEN-1): after every flow, the bytes of the SQLite file and its log, and a dump of
 * PostgreSQL, hold no token, no credential, no proof and no key, in no usual encoding. Two secrets stand there in clear: the nonces of
 * the access list and the tags of the deny list, which their reads show.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyWrapper } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import type { KeyWrapper, Storage } from '@postern/ports';
import { openPostgresStorage } from '@postern/storage-postgres';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, createCluster, findPrograms } from '../postgres/cluster.js';
import { type CanaryWorld, createCanaryWorld } from './canary-world.js';
import { type FlowAnswer, type FlowCall, runFlows } from './flows.js';
import { createSearch, type Planted, plantBytes } from './planted.js';

const folder = mkdtempSync(join(tmpdir(), 'postern-database-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SHOWN = /^(?:nonce|tag$)/;
const key = randomBytes(32);

/** Runs every flow on a storage. @returns the secrets of the flows, and those found in what `read` then reads. */
async function searched(storage: Storage, keyWrapper: KeyWrapper | undefined, read: () => string) {
  const world = await createCanaryWorld(keyWrapper === undefined ? { storage } : { storage, keyWrapper });
  try {
    await runFlows(world, inProcess(world), 'd');
    const content = read();
    const secrets: Planted[] = [...world.secrets.values(), plantBytes('wrapping key', key)];
    expect(content.includes('i-d-known')).toBe(true);
    return { names: secrets.map(({ name }) => name), found: createSearch(secrets)(content) };
  } finally {
    await world.close();
    await storage.close();
  }
}

const inProcess =
  (world: CanaryWorld) =>
  async ({ operation, params = {}, fields = {}, token }: FlowCall): Promise<FlowAnswer> =>
    world.server.method
      .handle({ operation, params, fields, token, requestId: 'canary', peerAddress: '192.0.2.1' })
      .catch(() => ({}));

const wrapper = () => createKeyWrapper(createNodeCrypto(), { id: 'canary', key });

function filesOf(file: string): string {
  const files = [file, `${file}-wal`, `${file}-shm`].filter((each) => existsSync(each));
  return files.map((each) => readFileSync(each, 'latin1')).join('\n');
}

describe('a SQLite file and its log', () => {
  it('hold no token, credential, proof or key', async () => {
    const file = join(folder, 'sealed.db');
    const { names, found } = await searched(await openSqliteStorage({ file }), wrapper(), () => filesOf(file));
    expect(names.length).toBeGreaterThan(30);
    expect(found.filter((name) => !SHOWN.test(name))).toEqual([]);
  });

  it('without a key wrapper hold the credential of the provider: this search finds it', async () => {
    const file = join(folder, 'plain.db');
    const { found } = await searched(await openSqliteStorage({ file }), undefined, () => filesOf(file));
    expect(found.filter((name) => /key/.test(name))).not.toEqual([]);
    expect(found.filter((name) => /^(?:token|proof|signature)/.test(name))).toEqual([]);
  });
});

/** Keys and values are `bytea`: what they hold is searched too, not its hex alone. */
function withBytes(dump: string): string {
  const bytes = dump.replaceAll(/\\\\x([0-9a-f]*)/g, (_all, hex: string) => Buffer.from(hex, 'hex').toString('latin1'));
  return `${dump}\n${bytes}`;
}

describe('a dump of PostgreSQL', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await createCluster();
  }, 120_000);
  afterAll(() => cluster?.remove());

  it('holds no token, credential, proof or key', async () => {
    const storage = await openPostgresStorage({ ...cluster.connection, schema: 'canaries' });
    const dump = () =>
      withBytes(
        execFileSync(
          join(findPrograms([]), 'pg_dump'),
          ['--dbname', cluster.connectionString, '--schema', 'canaries'],
          {
            encoding: 'latin1',
            maxBuffer: 1024 * 1024 * 1024,
          },
        ),
      );
    const { names, found } = await searched(storage, wrapper(), dump);
    expect(names.length).toBeGreaterThan(30);
    expect(found.filter((name) => !SHOWN.test(name))).toEqual([]);
  }, 120_000);
});
