/**
 * `postern storage copy` from each kind of storage into each other (STORE-10). Every copy is killed again and again, at another
 * moment each time; servers refuse what is left, and the next run goes on. What arrives at the end is what began.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSite, LOGIN_PATH, type PosternProcess, type Site, servePostern, startPostern } from '@postern/internal';
import { type Operation, STORAGE_LIMITS, type Storage } from '@postern/ports';
import { createDynamoTable, openDynamoStorage } from '@postern/storage-dynamodb';
import { openPostgresStorage } from '@postern/storage-postgres';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type DynamoLocal, startDynamoLocal } from '../dynamodb/dynamodb-local.js';
import { type Cluster, createCluster, PASSWORD } from '../postgres/cluster.js';

const RECORDS = 2_000;
const ENTRIES = 40;
const LOG = 'copy test/events';
/** Between the start of a copy and its death, at first: about how long the command takes to start. */
const FIRST_KILL_MS = 600;
const LATER = 1.5;
const REGION = 'eu-west-1';

let cluster: Cluster;
let local: DynamoLocal;
let site: Site;
beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'postern').stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  [cluster, local] = await Promise.all([createCluster(), startDynamoLocal()]);
  site = createSite();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([cluster?.remove(), local?.stop()]);
  site?.remove();
});

interface Place {
  readonly config: object;
  open(): Promise<Storage>;
  make?(): Promise<unknown>;
}

/** As the site's configuration, but for the storage. */
function configure(name: string, { config }: Place): string {
  const file = join(site.folder, `${name}.json`);
  const provider = { module: './provider.mjs', options: { imageId: 'ami-0123456789abcdef0' } };
  const sealing = { keyFile: './postern.key' };
  const audit = { file: `./${name}.log` };
  writeFileSync(file, JSON.stringify({ listen: { port: 0 }, provider, sealing, audit, storage: config }));
  return file;
}

const PLACES: Readonly<Record<'file' | 'postgres' | 'dynamodb', (name: string) => Place>> = {
  file: (name) => ({
    config: { file: `./${name}.db` },
    open: () => openSqliteStorage({ file: join(site.folder, `${name}.db`) }),
  }),
  postgres: (schema) => ({
    config: { postgres: { url: cluster.connectionString, schema } },
    open: () => openPostgresStorage({ ...cluster.connection, schema }),
  }),
  dynamodb: (table) => {
    const options = { table, region: REGION, endpoint: local.endpoint };
    return {
      config: { dynamodb: options },
      open: () => openDynamoStorage(options),
      make: () => createDynamoTable(options),
    };
  },
};

async function contentsOf({ open }: Place): Promise<readonly unknown[]> {
  const storage = await open();
  const contents: unknown[] = [];
  for (let after: string | undefined; ; ) {
    const page = await storage.list('', { after, limit: STORAGE_LIMITS.maxPage, values: true });
    contents.push(...page.items.map(({ key, record }) => [key, record?.value, record?.expiresAt]));
    after = page.next;
    if (after === undefined) break;
  }
  for (const { value } of await storage.readLog(LOG, { limit: STORAGE_LIMITS.maxPage })) contents.push(value);
  await storage.close();
  return contents;
}

async function outcomeOf(command: PosternProcess): Promise<string> {
  const code = await command.ended;
  return `${code} ${command.stdout()}${command.stderr()}`;
}

async function isIncomplete({ open }: Place): Promise<boolean> {
  const storage = await open();
  const format = await storage.get('postern/server/storage-format');
  await storage.close();
  return format?.value.includes('copying') ?? false;
}

/** @returns how often it was killed, and how often a server then found an incomplete copy. */
async function copyWithKills(from: string, to: string, place: Place) {
  let killed = 0;
  let refused = 0;
  for (let killAfterMs = FIRST_KILL_MS; ; killAfterMs *= LATER) {
    const copy = startPostern(['storage', 'copy', from, to]);
    const ended = await Promise.race([copy.ended, sleep(killAfterMs)]);
    if (ended !== undefined) {
      expect(await outcomeOf(copy)).toMatch(/^0 copied /);
      return { killed, refused };
    }
    copy.signal('SIGKILL');
    await copy.ended;
    killed += 1;
    if (refused > 0 || !(await isIncomplete(place))) continue;
    expect(await outcomeOf(startPostern(['serve', '--config', to]))).toMatch(/^1 .*it holds an incomplete copy/s);
    refused += 1;
  }
}

it('from each kind of storage into each other, over kills at any moment', async () => {
  const source = PLACES.file('source');
  const first = configure('source', source);
  const before = await servePostern(first);
  const { rootToken = '' } = before;
  await site.writeRole(before.url, rootToken, 'web');
  before.signal('SIGTERM');
  await before.ended;
  await fill(source);
  const contents = await contentsOf(source);
  expect(contents.length).toBeGreaterThan(RECORDS + ENTRIES);

  const kinds = ['file', 'postgres', 'dynamodb', 'file', 'dynamodb', 'postgres', 'file'] as const;
  let from = first;
  let refusals = 0;
  for (const [at, kind] of kinds.entries()) {
    const name = `copy_${at}`;
    const place = PLACES[kind](name);
    await place.make?.();
    const to = configure(name, place);
    const { killed, refused } = await copyWithKills(from, to, place);
    console.log(`into ${kind}: killed ${killed} times, refused ${refused} times`);
    expect(killed).toBeGreaterThan(0);
    refusals += refused;
    expect(await contentsOf(place)).toEqual(contents);
    from = to;
  }
  expect(refusals).toBeGreaterThan(0);

  const after = await servePostern(from);
  expect(after.rootToken).toBeUndefined();
  const { pkcs7 } = site.newDocument();
  const login = await fetch(after.url + LOGIN_PATH, { method: 'POST', body: JSON.stringify({ role: 'web', pkcs7 }) });
  expect(login.status).toBe(200);
  const looked = await fetch(`${after.url}/v1/auth/token/lookup-self`, { headers: { 'x-service-token': rootToken } });
  expect(looked.status).toBe(200);
  after.signal('SIGTERM');
  await after.ended;
}, 600_000);

it('is refused while a server uses the storage, whichever it is', async () => {
  const check = async (kind: 'postgres' | 'dynamodb') => {
    const place = PLACES[kind](`live_${kind}`);
    await place.make?.();
    const config = configure(`live_${kind}`, place);
    const server = await servePostern(config);
    const to = configure(`unused_${kind}`, PLACES.file(`unused_${kind}`));
    expect(await outcomeOf(startPostern(['storage', 'copy', config, to]))).toMatch(/^1 .*stop all servers/s);
    server.signal('SIGTERM');
    await server.ended;
    const copied = await outcomeOf(startPostern(['storage', 'copy', config, to]));
    expect(copied).toMatch(/^0 copied /);
    expect(copied).not.toContain(encodeURIComponent(PASSWORD));
  };
  await Promise.all([check('postgres'), check('dynamodb')]);
}, 120_000);

async function fill({ open }: Place): Promise<void> {
  const storage = await open();
  const { maxOperations, maxAppends } = STORAGE_LIMITS;
  for (let start = 0; start < RECORDS; start += maxOperations) {
    const puts = Array.from({ length: maxOperations }, (_, of): Operation => {
      const at = start + of;
      const expiresAt = at % 3 === 0 ? 4e12 + at : undefined;
      return { type: 'put', key: `copy test/\u{1F511}/${at}`, value: `${at} `.repeat(100), expiresAt, if: 'absent' };
    });
    await storage.commit(puts);
  }
  for (let start = 0; start < ENTRIES; start += maxAppends) {
    await storage.commit(
      Array.from({ length: maxAppends }, (_, of) => ({ type: 'append', log: LOG, value: `entry ${start + of}` })),
    );
  }
  // A copy waits some seconds to see whether a server writes it.
  await storage.commit([{ type: 'delete', key: 'postern/server/readiness', if: 'any' }]);
  await storage.close();
}
