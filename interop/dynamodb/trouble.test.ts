/** Lost questions and answers, a database that has gone, large reads, and what is left of expiries that were renewed. */
import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { Operation, Storage } from '@postern/ports';
import { createDynamoTable, openDynamoStorage } from '@postern/storage-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createProxy, type NetworkProxy } from '../postgres/proxy.js';
import { clientOf, type DynamoLocal, startDynamoLocal } from './dynamodb-local.js';

let local: DynamoLocal;
let direct: DynamoDBClient;
let cases = 0;
const table = () => `trouble_${cases}`;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

beforeAll(async () => {
  local = await startDynamoLocal();
  direct = clientOf(local.endpoint);
});
afterAll(async () => {
  direct.destroy();
  await local.stop();
});
beforeEach(async () => {
  cases += 1;
  await createDynamoTable({ table: table(), client: direct });
});

describe('a network that loses', () => {
  let proxy: NetworkProxy;
  let client: DynamoDBClient;
  let far: Storage;
  let near: Storage;

  beforeEach(async () => {
    proxy = await createProxy(local.port);
    client = clientOf(`http://127.0.0.1:${proxy.port}`);
    far = await openDynamoStorage({ table: table(), client, requestTimeoutMs: 400, timeoutMs: 1_500 });
    near = await openDynamoStorage({ table: table(), client: direct });
    // The log is known: what follows is one request.
    await far.commit([{ type: 'append', log: 'l', value: 'first' }]);
    return async () => {
      await Promise.all([far.close(), near.close()]);
      client.destroy();
      await proxy.close();
    };
  });

  const creation: readonly Operation[] = [
    { type: 'put', key: 'k', value: 'v', if: 'absent' },
    { type: 'append', log: 'l', value: 'second' },
  ];

  it.each(['cut_answers', 'cut_questions'] as const)(
    '%s: a commit is settled under its token, and applied once',
    async (traffic) => {
      proxy.set(traffic);
      const committed = far.commit(creation);
      await pause(150);
      proxy.set('open');
      const { versions, positions } = await committed;
      expect(await near.get('k')).toMatchObject({ value: 'v', version: versions[0] });
      const entries = await near.readLog('l', { limit: 10 });
      expect(entries.map(({ value }) => value)).toEqual(['first', 'second']);
      expect(entries[1]?.position).toBe(positions[0]);
    },
  );

  it('silent: a commit that was carried out and never answered has an unknown outcome, and its retry conflicts', async () => {
    proxy.set('silent');
    await expect(far.commit(creation)).rejects.toMatchObject({ code: 'outcome_unknown' });
    await expect(far.get('k')).rejects.toMatchObject({ code: 'unavailable' });
    proxy.set('open');
    expect(await near.get('k')).toMatchObject({ value: 'v' });
    await expect(near.commit(creation)).rejects.toMatchObject({ code: 'conflict', keys: ['k'] });
    expect(await near.readLog('l', { limit: 10 })).toHaveLength(2);
  });

  it('a commit that could not be sent is unavailable, and was not applied', async () => {
    const nobody = clientOf('http://127.0.0.1:9');
    await proxy.close();
    await expect(openDynamoStorage({ table: table(), client: nobody, timeoutMs: 200 })).rejects.toMatchObject({
      code: 'unreachable',
    });
    await expect(far.commit(creation)).rejects.toMatchObject({
      code: expect.stringMatching(/^(unavailable|outcome_unknown)$/),
    });
    expect(await near.get('k')).toBeUndefined();
    nobody.destroy();
    proxy = await createProxy(local.port);
  });

  it('a read that the caller gives up is aborted', async () => {
    proxy.set('silent');
    const controller = new AbortController();
    const reading = far.get('k', { signal: controller.signal });
    controller.abort();
    await expect(reading).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('on sixteen shards', () => {
  let storage: Storage;

  beforeEach(async () => {
    storage = await openDynamoStorage({ table: table(), client: direct });
    return () => storage.close();
  });

  it('lists in order over all of them', async () => {
    const keys = Array.from({ length: 100 }, (_, at) => `k/${String(at).padStart(3, '0')}`);
    for (let start = 0; start < keys.length; start += 25) {
      await storage.commit(
        keys.slice(start, start + 25).map((key) => ({ type: 'put', key, value: 'v', if: 'absent' })),
      );
    }
    const first = await storage.list('k/', { limit: 60 });
    const rest = await storage.list('k/', { limit: 60, after: first.next });
    expect([...first.items, ...rest.items].map(({ key }) => key)).toEqual(keys);
    expect(rest.next).toBeUndefined();
  });

  it('commits what checks one record together, and refuses only what conflicts', async () => {
    const { versions } = await storage.commit([{ type: 'put', key: 'role', value: 'v', if: 'absent' }]);
    await storage.commit([{ type: 'put', key: 'k/7', value: 'there', if: 'absent' }]);
    const role = { type: 'check', key: 'role', if: { version: versions[0] ?? '' } } as const;
    const commits = Array.from({ length: 60 }, (_, at) =>
      storage.commit([
        { type: 'put', key: `k/${at}`, value: 'v', expiresAt: at, if: 'absent' },
        role,
        { type: 'append', log: 'l', value: `${at}` },
      ]),
    );
    const outcomes = await Promise.allSettled(commits);
    expect(outcomes.flatMap(({ status }, at) => (status === 'rejected' ? [at] : []))).toEqual([7]);
    expect(outcomes[7]).toMatchObject({ reason: { code: 'conflict', keys: ['k/7'] } });
    const records = await storage.getMany(Array.from({ length: 60 }, (_, at) => `k/${at}`));
    for (const [at, outcome] of outcomes.entries()) {
      const version = outcome.status === 'fulfilled' ? outcome.value.versions[0] : expect.any(String);
      expect(records[at]).toMatchObject({ value: at === 7 ? 'there' : 'v', version });
    }
    const entries = await storage.readLog('l', { limit: 100 });
    expect(entries.map(({ value }) => Number(value)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 60 }, (_, at) => at).filter((at) => at !== 7),
    );
    await storage.commit([{ type: 'put', key: 'role', value: 'changed', if: 'any' }]);
    const late = Array.from({ length: 5 }, (_, at) =>
      storage.commit([{ type: 'put', key: `late/${at}`, value: 'v', if: 'absent' }, role]),
    );
    for (const { status } of await Promise.allSettled(late)) expect(status).toBe('rejected');
    expect((await storage.list('late/', { limit: 9 })).items).toEqual([]);
  });

  it('tells the time of DynamoDB, within two seconds', async () => {
    expect(Math.abs(((await storage.now?.()) ?? 0) - Date.now())).toBeLessThan(2_000);
  });

  it('reads more than 4 MB at once', async () => {
    const keys = Array.from({ length: 15 }, (_, at) => `large/${at}`);
    const value = 'v'.repeat(300 * 1024);
    for (const key of keys) await storage.commit([{ type: 'put', key, value, if: 'absent' }]);
    const records = await storage.getMany(keys);
    expect(records.every((record) => record?.value === value)).toBe(true);
    const page = await storage.list('large/', { limit: 100, values: true });
    expect(page.items.every(({ record }) => record?.value === value)).toBe(true);
  });

  it('gives expired records in order whose long keys agree in what the index holds of them', async () => {
    const keys = ['a', 'b', 'c', 'd', 'e'].map((last) => `${'k'.repeat(1_023)}${last}`);
    for (const key of [...keys].reverse())
      await storage.commit([{ type: 'put', key, value: '', expiresAt: 5, if: 'any' }]);
    const found: string[] = [];
    for (let after: { expiresAt: number; key: string } | undefined; ; ) {
      const page = await storage.listExpired('k', 10, { after, limit: 2 });
      found.push(...page.items.map(({ key }) => key));
      if (page.next === undefined) break;
      after = page.next;
    }
    expect(found).toEqual(keys);
  });

  it('removes what renewals and deletions have left in the index once it is met, and nothing else', async () => {
    for (const expiresAt of [1, 2, 3])
      await storage.commit([{ type: 'put', key: 'renewed', value: '', expiresAt, if: 'any' }]);
    await storage.commit([{ type: 'put', key: 'gone', value: '', expiresAt: 2, if: 'any' }]);
    await storage.commit([{ type: 'delete', key: 'gone', if: 'present' }]);
    expect(await expiries()).toBe(4);
    for (let times = 0; times < 2; times += 1) {
      const { items } = await storage.listExpired('', 10, { limit: 10 });
      expect(items.map(({ key }) => key)).toEqual(['renewed']);
      expect(await expiries()).toBe(1);
    }
  });

  async function expiries(): Promise<number> {
    const scan = {
      TableName: table(),
      FilterExpression: 'begins_with(p, :x)',
      ExpressionAttributeValues: { ':x': { S: 'x#' } },
    };
    return (await direct.send(new ScanCommand({ ...scan, ConsistentRead: true }))).Count ?? 0;
  }
});

describe('opening', () => {
  it('a table that is there is used as it is', async () => {
    expect(await createDynamoTable({ table: table(), client: direct, shards: 2 })).toBe(false);
  });

  it('a table that is missing is named with the command that makes it', async () => {
    const opening = openDynamoStorage({ table: 'missing', client: direct });
    await expect(opening).rejects.toMatchObject({ code: 'no_table', message: expect.stringContaining('create-table') });
  });
});
