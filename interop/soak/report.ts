/** What a soak prints, and what it fails for. */
import { type Bloat, mib } from './bloat.js';
import { slopeOf } from './samples.js';
import { type SoakLimits, WARM_UP_SHARE } from './settings.js';
import type { SoakResult } from './soak.js';

const HOUR_SECONDS = 3600;

interface Figures {
  readonly rssSlope: number;
  readonly heapSlope: number;
  readonly descriptorsGrown: number;
  readonly p99Ms: number;
  readonly ownP99Ms: number;
  readonly worstP99Ms: number;
  readonly bloat: number;
}

/** @returns why it fails; empty where it holds. */
export function judgeSoak(result: SoakResult, limits: SoakLimits): readonly string[] {
  const { rssSlope, descriptorsGrown, p99Ms, ownP99Ms, bloat } = figuresOf(result);
  const { unexpected, notSent, quarters } = result.load;
  const faults = [
    rssSlope > limits.rssSlope && `RSS grows by ${rssSlope.toFixed(1)} MiB an hour (at most ${limits.rssSlope})`,
    descriptorsGrown > limits.descriptors &&
      `${descriptorsGrown} descriptors more than before (at most ${limits.descriptors})`,
    // What delays a process that does little is the machine.
    p99Ms > limits.p99Ms + ownP99Ms &&
      `event loop p99 ${p99Ms.toFixed(1)} ms (at most ${limits.p99Ms} beyond the ${ownP99Ms.toFixed(1)} of the load)`,
    bloat > limits.bloat && `${bloat.toFixed(1)} bytes on the disk for each live one (at most ${limits.bloat})`,
    unexpected.length > 0 && `${unexpected.length} unexpected answers: ${[...new Set(unexpected)].join(', ')}`,
    notSent > 0 && `${notSent} calls not sent: the server did not keep up`,
    result.auditProblems !== '' && `the audit log does not verify: ${result.auditProblems.slice(0, 500)}`,
    quarters.some(({ answered }) => answered === 0) && 'a quarter without an answer',
  ];
  return faults.filter((each) => each !== false);
}

export function soakLines(result: SoakResult): readonly string[] {
  const { storage, minutes, rate, samples, before, after, bloats, load, loadCpuSeconds } = result;
  const figures = figuresOf(result);
  const seconds = minutes * 60;
  const cpu = (used: number) => `${((used / seconds) * 100).toFixed(0)} %`;
  const last = samples.at(-1) ?? after;
  const most = Math.max(...samples.map(({ descriptors }) => descriptors));
  return [
    `${storage}: ${minutes} min at ${rate} calls a second; of one core the server used ${cpu(last.cpuSeconds - before.cpuSeconds)}, the load ${cpu(loadCpuSeconds)}`,
    `RSS          ${before.rssMiB.toFixed(0)} MiB before, ${last.rssMiB.toFixed(0)} at the end; slope ${figures.rssSlope.toFixed(1)} MiB an hour, heap ${figures.heapSlope.toFixed(1)}`,
    `descriptors  ${before.descriptors} before, at most ${most}, ${after.descriptors} at rest after`,
    `event loop   p99 of an interval: median ${figures.p99Ms.toFixed(1)} ms, worst ${figures.worstP99Ms.toFixed(1)} ms; of the load's process, median ${figures.ownP99Ms.toFixed(1)} ms`,
    ...bloats.map((bloat, at) => `storage ${at + 1}/${bloats.length}  ${bloatLine(bloat)}`),
    ...load.quarters.map(
      ({ perSecond, p50Ms, p99Ms }, at) =>
        `quarter ${at + 1}    ${perSecond.toFixed(1)} answers a second, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
    ),
    ...[...load.counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(
        ([kind, seen]) =>
          `${kind.padEnd(28)} p99 ${(load.p99Ms.get(kind) ?? 0).toFixed(0).padStart(5)} ms  ${[...seen].map(([what, count]) => `${what} ×${count}`).join(', ')}`,
      ),
  ];
}

function figuresOf({ samples, before, after, bloats }: SoakResult): Figures {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP_SHARE));
  const p99s = sorted(samples.map(({ p99Ms }) => p99Ms));
  const ownP99s = sorted(samples.map(({ ownP99Ms }) => ownP99Ms));
  const last = bloats.at(-1);
  return {
    rssSlope: slopeOf(warm, ({ rssMiB }) => rssMiB) * HOUR_SECONDS,
    heapSlope: slopeOf(warm, ({ heapMiB }) => heapMiB) * HOUR_SECONDS,
    descriptorsGrown: after.descriptors - before.descriptors,
    p99Ms: p99s[p99s.length >> 1] ?? 0,
    ownP99Ms: ownP99s[ownP99s.length >> 1] ?? 0,
    worstP99Ms: p99s.at(-1) ?? 0,
    bloat: last === undefined ? 0 : last.diskBytes / Math.max(1, last.liveBytes),
  };
}

function bloatLine({ liveRows, liveBytes, diskBytes, waitingEntries, details, archiveFiles, auditBytes }: Bloat) {
  return (
    `${liveRows} records of ${mib(liveBytes)} MiB in ${mib(diskBytes)} MiB (${details}); ${waitingEntries} events wait, ` +
    `${archiveFiles} archives, audit log ${mib(auditBytes)} MiB`
  );
}

const sorted = (values: readonly number[]) => [...values].sort((a, b) => a - b);
