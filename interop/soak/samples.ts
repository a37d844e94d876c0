/** What the server's metrics say of its process, read again and again, and the line through them. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Sample {
  /** Seconds since the load began. */
  readonly atSeconds: number;
  readonly rssMiB: number;
  readonly heapMiB: number;
  readonly descriptors: number;
  /** Of the time since the sample before: each reading begins a new histogram. */
  readonly p99Ms: number;
  /** The same of this process, which a busy machine delays as well. */
  readonly ownP99Ms: number;
  readonly cpuSeconds: number;
}

const MIB = 1024 * 1024;

const ownDelay = monitorEventLoopDelay();
ownDelay.enable();

export async function sample(metricsUrl: string, startedAt: number): Promise<Sample> {
  const ownP99Ms = ownDelay.percentile(99) / 1e6;
  ownDelay.reset();
  const text = await (await fetch(metricsUrl)).text();
  const figure = (name: string) => {
    const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
    if (value === undefined) throw new Error(`the metrics have no ${name}`);
    return Number(value);
  };
  return {
    atSeconds: (performance.now() - startedAt) / 1000,
    rssMiB: figure('process_resident_memory_bytes') / MIB,
    heapMiB: figure('nodejs_heap_size_used_bytes') / MIB,
    descriptors: figure('process_open_fds'),
    p99Ms: figure('nodejs_eventloop_lag_p99_seconds') * 1000,
    ownP99Ms,
    cpuSeconds: figure('process_cpu_seconds_total'),
  };
}

/** Samples every `everyMs` until it is stopped. */
export function startSampling(metricsUrl: string, everyMs: number, onSample: (taken: Sample) => void) {
  const startedAt = performance.now();
  const samples: Sample[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  const work = (async () => {
    while (!signal.aborted) {
      const taken = await sample(metricsUrl, startedAt);
      samples.push(taken);
      onSample(taken);
      await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    }
  })();
  return {
    async stop(): Promise<readonly Sample[]> {
      stopping.abort();
      await work;
      return samples;
    },
  };
}

/** Least squares: how much `of` grows a second. */
export function slopeOf(samples: readonly Sample[], of: (each: Sample) => number): number {
  const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
  const x = mean(samples.map(({ atSeconds }) => atSeconds));
  const y = mean(samples.map(of));
  const sum = (term: (each: Sample) => number) => samples.reduce((total, each) => total + term(each), 0);
  const spread = sum(({ atSeconds }) => (atSeconds - x) ** 2);
  return spread === 0 ? 0 : sum((each) => (each.atSeconds - x) * (of(each) - y)) / spread;
}
