/** pgbouncer in transaction mode: every transaction may have another session, and what one leaves there another finds. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPostgresRates, openPostgresStorage } from '@postern/storage-postgres';
import { storageContract } from '@postern/testkit';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contractStorages } from '../contract-storages.js';
import { type Cluster, createCluster, freePort, PASSWORD } from './cluster.js';

const script = fileURLToPath(new URL('../../scripts/interop/setup-pgbouncer.sh', import.meta.url));

let cluster: Cluster;
let bouncer: ChildProcess;
let folder = '';
let port = 0;

beforeAll(async () => {
  cluster = await createCluster();
  const program = execFileSync(script, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
  folder = mkdtempSync(join(tmpdir(), 'postern-pgbouncer-'));
  chmodSync(folder, 0o755);
  port = await freePort();
  writeFileSync(join(folder, 'users.txt'), `"postern" "${PASSWORD}"\n`, { mode: 0o644 });
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=127.0.0.1 port=${cluster.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
`,
    { mode: 0o644 },
  );
  // It refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  bouncer = spawn(program, [...asUser, join(folder, 'pgbouncer.ini')], { stdio: 'ignore' });
  await answers();
}, 180_000);

/** Waits until it takes clients. */
async function answers(): Promise<void> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const client = new Client({ ...cluster.connection, port });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

afterAll(async () => {
  const ended = once(bouncer, 'close');
  bouncer.kill('SIGKILL');
  await ended;
  await cluster.remove();
  rmSync(folder, { recursive: true, force: true });
});

describe('O8: through pgbouncer in transaction mode', () => {
  const open = (schema: string, maxConnections = 10) =>
    openPostgresStorage({ ...cluster.connection, port, schema, maxConnections });

  it('three nodes with more connections than sessions commit, and one of rival first writes wins', async () => {
    const nodes = await Promise.all([1, 2, 3].map(() => open('bounced')));
    for (let round = 0; round < 20; round += 1) {
      const outcomes = await Promise.allSettled(
        nodes.flatMap((node) =>
          Array.from({ length: 5 }, (_, at) =>
            node.commit([
              { type: 'put', key: `first ${round}`, value: `${at}`, if: 'absent' },
              { type: 'check', key: 'denied', if: 'absent' },
            ]),
          ),
        ),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
    expect(await Promise.all(nodes.map(async (node) => (await node.list('', { limit: 100 })).items.length))).toEqual([
      20, 20, 20,
    ]);
    await Promise.all(nodes.map((node) => node.close()));
  });

  it('leaves no setting behind in a session that another client gets', async () => {
    const storage = await open('clean');
    await storage.commit([{ type: 'put', key: 'k', value: 'v', if: 'any' }]);
    await storage.close();
    const client = new Client({ ...cluster.connection, port });
    await client.connect();
    for (const setting of [
      'lock_timeout',
      'statement_timeout',
      'search_path',
      'enable_seqscan',
      'synchronous_commit',
    ]) {
      const { rows } = await client.query<{ own: boolean }>(
        `SELECT setting IS DISTINCT FROM reset_val AS own FROM pg_settings WHERE name = '${setting}'`,
      );
      expect([setting, rows[0]?.own]).toEqual([setting, false]);
    }
    await client.end();
  });

  it('two installations in two schemas never see records of each other', async () => {
    const [left, right] = await Promise.all([open('one', 4), open('other', 4)]);
    await left.commit([{ type: 'put', key: 'k', value: 'left', if: 'absent' }]);
    await right.commit([{ type: 'put', key: 'k', value: 'right', if: 'absent' }]);
    const reads = Array.from({ length: 50 }, async () => [(await left.get('k'))?.value, (await right.get('k'))?.value]);
    for (const read of await Promise.all(reads)) expect(read).toEqual(['left', 'right']);
    await Promise.all([left.close(), right.close()]);
  });

  it('servers share their rates, though each exchange may have another session', async () => {
    const storage = await open('rates');
    const nodes = [1, 2, 3].map(() => openPostgresRates({ ...cluster.connection, port, schema: 'rates' }));
    const limits = { perSecond: 0.001, burst: 100 };
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(nodes.map((node) => node.exchange([{ key: 'peer', cost: 1, limits }])));
    }
    const [bucket] = (await nodes[0]?.exchange([{ key: 'peer', cost: 0, limits }])) ?? [];
    expect(bucket?.tokens).toBeCloseTo(70, 0);
    await Promise.all([storage, ...nodes].map((each) => each.close()));
  });

  const storages = contractStorages((schema) => open(schema, 3));
  it.each(storageContract({ durable: true, ...storages }))('$name', ({ run }) => run());
});
