/** What goes wrong, whatever the storage: that has more. Each fault begins, lasts as long as the run says, and is ended; what it broke is then whole again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '@postern/internal';
import type { Traffic } from '../postgres/proxy.js';
import type { ChaosNode } from './node.js';
import type { World } from './world.js';

export interface Fault {
  readonly name: string;
  readonly lastsMs: number;
  /** @returns what ends it. */
  begin(world: World, dice: Dice): Promise<() => Promise<void>>;
}

export const SHORT_MS = 4_000;
/** Longer than a call may wait for the database. */
const LONG_MS = 14_000;
/** The next measurement of the clocks comes within ten seconds. */
const CLOCK_MS = 13_000;
const MINUTE = 60;
const HOUR = 3_600;

export const FAULTS: readonly Fault[] = [
  {
    name: 'node killed',
    lastsMs: SHORT_MS,
    begin: async ({ nodes }, dice) => killed([dice.pick(nodes)]),
  },
  {
    name: 'all nodes killed',
    lastsMs: 500,
    begin: async ({ nodes }) => killed(nodes),
  },
  link('link cut', 'cut', SHORT_MS),
  link('link stalled', 'stalled', LONG_MS),
  link('link torn', 'torn', SHORT_MS),
  link('answers lost', 'cut_answers', SHORT_MS),
  {
    name: 'all links stalled',
    lastsMs: LONG_MS,
    async begin({ links }) {
      for (const each of links) each.set('stalled');
      return async () => {
        for (const each of links) each.set('open');
      };
    },
  },
  clock('clock + 65 min', 65 * MINUTE),
  clock('clock - 65 min', -65 * MINUTE),
  clock('clock + 26 h', 26 * HOUR),
  clock('clock - 26 h', -26 * HOUR),
  {
    name: 'audit disk full',
    lastsMs: LONG_MS,
    async begin({ nodes }, dice) {
      const { auditDisk } = dice.pick(nodes);
      auditDisk.fill();
      return async () => auditDisk.free();
    },
  },
];

/** Two at once, the second begun in the middle of the first. */
export function both(first: Fault, second: Fault): Fault {
  return {
    name: 'two at once',
    lastsMs: Math.max(first.lastsMs, second.lastsMs),
    async begin(world, dice) {
      const endFirst = await first.begin(world, dice);
      await sleep(first.lastsMs / 2);
      const endSecond = await second.begin(world, dice);
      return async () => {
        await endSecond();
        await endFirst();
      };
    },
  };
}

async function killed(nodes: readonly ChaosNode[]): Promise<() => Promise<void>> {
  await Promise.all(nodes.map((node) => node.kill()));
  return async () => {
    for (const node of nodes) node.start();
  };
}

function link(name: string, traffic: Traffic, lastsMs: number): Fault {
  return {
    name,
    lastsMs,
    async begin({ links }, dice) {
      const one = dice.pick(links);
      one.set(traffic);
      return async () => one.set('open');
    },
  };
}

/** Of a server that runs, or of one that starts with it: then tidying begins with the wrong clock. */
function clock(name: string, aheadSeconds: number): Fault {
  return {
    name,
    lastsMs: CLOCK_MS,
    async begin({ nodes }, dice) {
      const node = dice.pick(nodes);
      const restart = dice.roll(2) === 0;
      if (restart) await node.kill();
      node.setClock(aheadSeconds);
      if (restart) node.start();
      return async () => node.setClock(0);
    },
  };
}
