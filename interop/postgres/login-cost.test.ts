/** What a login asks of the database, counted on the wire. */

import type { Storage } from '@postern/ports';
import { openPostgresStorage } from '@postern/storage-postgres';
import { createTestWorld, type TestWorld } from '@postern/testkit/world';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, createCluster } from './cluster.js';
import { createWire, type Wire } from './wire.js';

let cluster: Cluster;
let wire: Wire;
let storage: Storage;
let world: TestWorld;
beforeAll(async () => {
  cluster = await createCluster();
  wire = await createWire(cluster.port);
  storage = await openPostgresStorage({ ...cluster.connection, port: wire.port, maxConnections: 1 });
  world = await createTestWorld({ ports: { storage } });
});
afterAll(async () => {
  await storage.close();
  await wire.close();
  await cluster.remove();
});

/** The kinds of statements that a piece of work sends, each of which is a round trip. */
async function kindsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  wire.clear();
  await work();
  return wire.asked().map((text) => (text.includes('commit_rows') ? 'commit' : text.split(' ', 1).join()));
}

describe('on PostgreSQL', () => {
  it('a login is one read and one commit, each one round trip: no BEGIN, no COMMIT', async () => {
    const { instance, nonce = '' } = await world.login();
    await world.loginPrincipal();
    const logins = [() => world.login(), () => world.login({ instance, nonce }), () => world.loginPrincipal()];
    for (const login of logins) expect(await kindsOf(login)).toEqual(['SELECT', 'commit']);
  });

  it('reads of one moment are one statement, however many callers ask', async () => {
    const reads = () =>
      Promise.all([storage.get('a'), storage.get('b'), storage.getMany(['a', 'c']), storage.getMany(['d'])]);
    expect(await kindsOf(reads)).toEqual(['SELECT']);
  });

  it('logins that come together share their reads', async () => {
    await world.login();
    const kinds = await kindsOf(() => Promise.all(Array.from({ length: 40 }, () => world.login())));
    expect(kinds.filter((kind) => kind === 'commit')).toHaveLength(40);
    expect(kinds.length - 40).toBeLessThan(40);
  });
});
