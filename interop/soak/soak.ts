/** Mixed load on one server for minutes, and what became of its memory, descriptors, event loop and storage. */
import { createDice } from '@postern/internal';
import { authKinds } from './auth-calls.js';
import { type Bloat, readBloat } from './bloat.js';
import { createSoakClient } from './client.js';
import { hostileKinds } from './hostile-calls.js';
import { createContext } from './kind.js';
import { type LoadReport, runLoad } from './load.js';
import { registryKinds } from './registry-calls.js';
import { type Sample, sample, startSampling } from './samples.js';
import type { SoakStorage } from './settings.js';
import { openSoakSite } from './soak-site.js';

/** Sockets that were given up are closed by then, and kept ones of this process are gone. */
const REST_MS = 3000;
const BLOAT_READINGS = 4;
/** The same calls in every run. */
const SEED = 1;

export interface SoakResult {
  readonly storage: SoakStorage;
  readonly minutes: number;
  readonly rate: number;
  readonly samples: readonly Sample[];
  /** At rest, before the load and after it. */
  readonly before: Sample;
  readonly after: Sample;
  /** After the warm-up, and on to the end. */
  readonly bloats: readonly Bloat[];
  readonly load: LoadReport;
  /** What is wrong with the audit log; empty: nothing. */
  readonly auditProblems: string;
  /** Of this process, seconds. */
  readonly loadCpuSeconds: number;
}

export interface SoakRun {
  readonly storage: SoakStorage;
  readonly minutes: number;
  readonly rate: number;
  /** A line now and then. */
  readonly tell: (line: string) => void;
}

export async function runSoak({ storage, minutes, rate, tell }: SoakRun): Promise<SoakResult> {
  const world = await openSoakSite(storage);
  const client = createSoakClient(world.server.url);
  try {
    const ms = minutes * 60_000;
    const { roll: draw } = createDice(SEED);
    const context = createContext(world, client, draw);
    const kinds = [...(await authKinds(context)), ...registryKinds(context), ...hostileKinds(context)];
    const before = await sample(world.metricsUrl, performance.now());
    const cpuBefore = process.cpuUsage();
    const bloats: Bloat[] = [];
    const bloatReadings: Promise<void>[] = [];
    let told = 0;
    const sampling = startSampling(world.metricsUrl, Math.min(10_000, ms / 10), ({ atSeconds, ...taken }) => {
      // The STS of this process logs its calls, for nobody here.
      world.site.cloud.sts.clearCalls();
      if (atSeconds * 1000 >= (ms / BLOAT_READINGS) * (bloatReadings.length + 1)) {
        bloatReadings.push(readBloat(world).then((bloat) => void bloats.push(bloat)));
      }
      if (atSeconds < told * 60) return;
      told += 1;
      const { rssMiB, heapMiB, descriptors, p99Ms } = taken;
      tell(
        `${(atSeconds / 60).toFixed(1)} min: RSS ${rssMiB.toFixed(0)} MiB, heap ${heapMiB.toFixed(0)} MiB, ` +
          `${descriptors} descriptors, p99 ${p99Ms.toFixed(1)} ms`,
      );
    });
    const load = await runLoad(kinds, { rate, ms, draw });
    const samples = await sampling.stop();
    await Promise.all(bloatReadings);
    bloats.push(await readBloat(world));
    const { user, system } = process.cpuUsage(cpuBefore);
    client.close();
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    const after = await sample(world.metricsUrl, performance.now());
    const loadCpuSeconds = (user + system) / 1e6;
    const auditProblems = await world.stopAndVerify();
    return { storage, minutes, rate, samples, before, after, bloats, load, auditProblems, loadCpuSeconds };
  } finally {
    client.close();
    await world.close();
  }
}
