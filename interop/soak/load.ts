/** Calls at a fixed rate, whatever the answers take, and a count of what came of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind } from './kind.js';

/** Beyond this the server is behind: a call that is due is not sent, and counted. */
const MAX_UNDER_WAY = 200;
const TICK_MS = 10;
const QUARTERS = 4;

export interface Quarter {
  readonly answered: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface LoadReport {
  readonly quarters: readonly Quarter[];
  /** By kind, then by status and code: `403 permission_denied`. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Milliseconds, by kind. */
  readonly p99Ms: ReadonlyMap<string, number>;
  /** What no kind expects, as it came: `ec2 login: 503 storage_unavailable`. */
  readonly unexpected: readonly string[];
  readonly notSent: number;
}

export async function runLoad(
  kinds: readonly Kind[],
  { rate, ms, draw }: { readonly rate: number; readonly ms: number; readonly draw: (limit: number) => number },
): Promise<LoadReport> {
  const wheel = kinds.flatMap((kind) => Array.from({ length: Math.max(1, Math.round(kind.weight * 10)) }, () => kind));
  const latencies = Array.from({ length: QUARTERS }, (): number[] => []);
  const counts = new Map<string, Map<string, number>>();
  const ofKinds = new Map<string, number[]>();
  const unexpected: string[] = [];
  const underWay = new Set<Promise<void>>();
  let notSent = 0;
  const started = performance.now();

  async function call(kind: Kind): Promise<void> {
    const sentAt = performance.now();
    const asked = kind.run();
    if (asked === undefined) return;
    const { status, text } = await asked;
    const took = performance.now() - sentAt;
    const seen = `${status} ${codeOf(text)}`.trim();
    const ofKind = counts.get(kind.name) ?? new Map<string, number>();
    counts.set(kind.name, ofKind.set(seen, (ofKind.get(seen) ?? 0) + 1));
    if (!kind.expected.includes(status)) unexpected.push(`${kind.name}: ${seen}`);
    const known = ofKinds.get(kind.name);
    if (known === undefined) ofKinds.set(kind.name, [took]);
    else known.push(took);
    // Held connections are answered when they are given up.
    if (status !== 0) latencies[Math.min(QUARTERS - 1, Math.floor(((sentAt - started) / ms) * QUARTERS))]?.push(took);
  }

  for (let sent = 0; performance.now() - started < ms; ) {
    for (const due = ((performance.now() - started) / 1000) * rate; sent < due; sent += 1) {
      const kind = wheel[draw(wheel.length)];
      if (kind === undefined) throw new Error('no kinds');
      if (underWay.size >= MAX_UNDER_WAY) {
        notSent += 1;
        continue;
      }
      const work: Promise<void> = call(kind).finally(() => underWay.delete(work));
      underWay.add(work);
    }
    await sleep(TICK_MS);
  }
  await Promise.all(underWay);
  const quarters = latencies.map((all) => {
    const perSecond = all.length / (ms / QUARTERS / 1000);
    return { answered: all.length, perSecond, p50Ms: shareOf(all, 0.5), p99Ms: shareOf(all, 0.99) };
  });
  const p99Ms = new Map([...ofKinds].map(([kind, all]) => [kind, shareOf(all, 0.99)]));
  return { quarters, counts, p99Ms, unexpected, notSent };
}

function shareOf(all: readonly number[], share: number): number {
  const sorted = [...all].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}

/** `code` of the auth method's errors, else the title of the registry's. */
function codeOf(text: string): string {
  return /"code":"([a-z0-9_]+)"/.exec(text)?.[1] ?? /"title":"([^"]{1,40})"/.exec(text)?.[1] ?? '';
}
