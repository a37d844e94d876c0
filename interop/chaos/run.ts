/** A run: load, one fault after another, and at the end the checks. The same seed gives the same faults in the same order. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDice, type Dice } from '@postern/internal';
import { brokenChains, effectsOf, keepLogs, watchAuditFiles } from './audit-files.js';
import { closeConnections } from './call.js';
import type { OpenChaosStorage } from './chaos-storage.js';
import { checkAnswers } from './check-answers.js';
import { checkAudit } from './check-audit.js';
import { checkEntries, checkRegisters } from './check-entries.js';
import { checkTokens } from './check-tokens.js';
import { both, FAULTS, type Fault } from './faults.js';
import type { Violation } from './history.js';
import { startLoad } from './load.js';
import { untilReady } from './node.js';
import { type Injected, table } from './report.js';
import { watchStarvation } from './starvation.js';
import { createWorld, type World } from './world.js';

export interface RunOptions {
  readonly seconds: number;
  readonly seed: number;
  readonly storage: OpenChaosStorage;
  /** Names of faults. Default: all that there are, as long as they say. */
  readonly only?: readonly string[];
  readonly lastsMs?: number;
}

export interface RunReport {
  readonly violations: readonly Violation[];
  readonly acknowledged: number;
  readonly table: string;
  /** Where histories, logs and events are kept; undefined where nothing was found. */
  readonly folder: string | undefined;
}

/** After a fault: all nodes must be ready within it. */
const RECOVERED_MS = 60_000;
const QUIET_MS = 1_500;

export async function runChaos({ seconds, seed, storage, only, lastsMs }: RunOptions): Promise<RunReport> {
  const world = await createWorld(storage);
  const stops: (() => void)[] = [];
  let violations: readonly Violation[] = [{ at: 0, what: 'the run broke off' }];
  try {
    const faults = chosen([...FAULTS, ...world.storage.faults], only).map((fault) => ({
      ...fault,
      lastsMs: lastsMs ?? fault.lastsMs,
    }));
    const starvation = watchStarvation(() => world.nodes.flatMap((node) => node.pid() ?? []));
    const files = watchAuditFiles(world);
    stops.push(files.stop, starvation.stop);
    const load = startLoad(world, seed);
    const dice = createDice(seed);
    const injected: Injected[] = [];
    const unready: Violation[] = [];
    const until = performance.now() + seconds * 1000;
    try {
      await sleep(QUIET_MS);
      for (const fault of inTurn(faults, dice)) {
        if (performance.now() > until) break;
        injected.push(await inject(world, fault, dice, unready));
        await sleep(QUIET_MS);
      }
    } finally {
      await load.stop();
    }
    await load.lookAgain();
    const { operations } = load;
    // Before they are judged: what judges them may fail.
    writeFileSync(join(world.folder, 'operations.json'), JSON.stringify(operations));
    const effects = await effectsOf(world);
    const ended = world.nodes.flatMap((node, at) => {
      const times = node.endedByItself();
      return times === 0 ? [] : [{ at: 0, what: `node ${at} ended by itself, ${times} times` }];
    });
    await Promise.all(world.nodes.map((node) => node.stop()));
    violations = [
      ...unready,
      ...ended,
      ...checkEntries(operations),
      ...checkRegisters(operations),
      ...checkTokens(operations),
      ...checkAnswers(operations, starvation.between),
      ...checkAudit(operations, files.read(), effects),
      ...(await brokenChains(world)),
    ];
    return {
      violations,
      acknowledged: operations.filter(({ outcome }) => outcome === 'done').length,
      table: table(injected, operations, violations),
      folder: violations.length > 0 ? world.folder : undefined,
    };
  } finally {
    for (const stop of stops) stop();
    closeConnections();
    if (violations.length > 0) keepLogs(world);
    await world.close({ keep: violations.length > 0 });
  }
}

/** @throws Error for a name of no fault. */
function chosen(faults: readonly Fault[], names: readonly string[] | undefined): readonly Fault[] {
  if (names === undefined) return faults;
  return names.map((name) => {
    const fault = faults.find((each) => each.name === name);
    if (fault === undefined) throw new Error(`there is no fault "${name}"`);
    return fault;
  });
}

/** Every fault once, in an order of the dice, then two at once; again and again. */
function* inTurn(faults: readonly Fault[], dice: Dice): Generator<Fault> {
  for (;;) {
    const left = [...faults];
    while (left.length > 0) yield left.splice(dice.roll(left.length), 1)[0] ?? dice.pick(faults);
    yield both(dice.pick(faults), dice.pick(faults));
  }
}

async function inject(world: World, fault: Fault, dice: Dice, unready: Violation[]): Promise<Injected> {
  const begin = performance.now();
  const endFault = await fault.begin(world, dice);
  await sleep(fault.lastsMs);
  await endFault();
  const end = performance.now();
  try {
    await untilReady(world.nodes, RECOVERED_MS);
  } catch (error) {
    unready.push({
      at: performance.now(),
      what: `after ${fault.name}: ${error instanceof Error ? error.message : error}`,
    });
  }
  return { name: fault.name, begin, end, recovered: performance.now() };
}
