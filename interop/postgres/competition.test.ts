/** Nodes that compete: two storages, each with connections of its own, on one schema. */

import { createDice } from '@postern/internal';
import { isConflict, type Storage } from '@postern/ports';
import { openPostgresStorage } from '@postern/storage-postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, createCluster } from './cluster.js';

let cluster: Cluster;
let nodes: readonly [Storage, Storage];

beforeAll(async () => {
  cluster = await createCluster();
  nodes = await Promise.all([openPostgresStorage(cluster.connection), openPostgresStorage(cluster.connection)]);
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()));
  await cluster.remove();
});

const nodeOf = (number: number) => nodes[number % 2 === 0 ? 0 : 1];

describe('two nodes', () => {
  it('have one winner among 200 creators, and tell the others of their conflict', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, number) =>
        nodeOf(number).commit([{ type: 'put', key: 'prize', value: String(number), if: 'absent' }]),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refused.every((reason) => isConflict(reason) && reason.keys.join() === 'prize')).toBe(true);
  });

  it('see each other’s commits at once', async () => {
    for (let turn = 0; turn < 50; turn += 1) {
      const { versions } = await nodeOf(turn).commit([{ type: 'put', key: 'seen', value: 'v', if: 'any' }]);
      expect((await nodeOf(turn + 1).get('seen'))?.version).toBe(versions[0]);
    }
  });

  it.each(['absent', 'version'] as const)('cannot both rest on a check that the other breaks: %s', async (kind) => {
    let both = 0;
    let none = 0;
    for (let turn = 0; turn < 60; turn += 1) {
      const keys = [`${kind}/${turn}/a`, `${kind}/${turn}/b`] as const;
      const { versions } = await nodes[0].commit(keys.map((key) => ({ type: 'put', key, value: 'v', if: 'any' })));
      if (kind === 'absent') await nodes[0].commit(keys.map((key) => ({ type: 'delete', key, if: 'any' })));
      const conditionOf = (at: 0 | 1) => (kind === 'absent' ? 'absent' : { version: String(versions[at]) });
      const attempt = (node: Storage, checked: 0 | 1, written: 0 | 1) =>
        node.commit([
          { type: 'check', key: keys[checked], if: conditionOf(checked) },
          { type: 'put', key: keys[written], value: 'mine', if: conditionOf(written) },
        ]);
      const outcomes = await Promise.allSettled([attempt(nodes[0], 0, 1), attempt(nodes[1], 1, 0)]);
      const won = outcomes.filter(({ status }) => status === 'fulfilled').length;
      both += won === 2 ? 1 : 0;
      none += won === 0 ? 1 : 0;
      for (const outcome of outcomes) if (outcome.status === 'rejected') expect(isConflict(outcome.reason)).toBe(true);
    }
    expect({ both, none }).toEqual({ both: 0, none: 0 });
  });

  it('never wait for each other in a circle, and lose nothing of what they move', async () => {
    const accounts = Array.from({ length: 6 }, (_, number) => `account/${number}`);
    await nodes[0].commit(accounts.map((key) => ({ type: 'put', key, value: '100', if: 'any' })));
    const mover = async (number: number) => {
      const random = createDice(number);
      for (let done = 0; done < 12; ) {
        const node = nodeOf(number);
        const from = random.pick(accounts);
        const to = random.pick(accounts.filter((key) => key !== from));
        const [source, target] = await node.getMany([from, to]);
        const watched = random.pick(accounts.filter((key) => key !== from && key !== to));
        const amount = random.roll(5);
        try {
          await node.commit([
            put(from, Number(source?.value) - amount, source?.version),
            { type: 'check', key: watched, if: 'present' },
            put(to, Number(target?.value) + amount, target?.version),
          ]);
          done += 1;
        } catch (error) {
          // Any other code would be a deadlock that reached the caller.
          if (!isConflict(error)) throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, number) => mover(number)));
    const values = (await nodes[1].getMany(accounts)).map((record) => Number(record?.value));
    expect(values.reduce((sum, value) => sum + value, 0)).toBe(600);
    const [{ deadlocks } = {}] = await cluster.query(
      'SELECT sum(deadlocks)::integer AS deadlocks FROM pg_stat_database',
    );
    expect(deadlocks).toBe(0);
  });

  it('let checks of one record go side by side', async () => {
    await nodes[0].commit([{ type: 'put', key: 'role', value: 'v', if: 'any' }]);
    const { versions } = await nodes[0].commit([{ type: 'put', key: 'role', value: 'w', if: 'present' }]);
    const version = String(versions[0]);
    const all = Array.from({ length: 40 }, (_, number) =>
      nodeOf(number).commit([
        { type: 'check', key: 'role', if: { version } },
        { type: 'put', key: `login/${number}`, value: 'v', if: 'absent' },
      ]),
    );
    expect(await Promise.all(all)).toHaveLength(40);
  });
});

function put(key: string, value: number, version: string | undefined) {
  return { type: 'put', key, value: String(value), if: { version: version ?? '' } } as const;
}
