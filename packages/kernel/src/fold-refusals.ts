/**
 * Folds the refusals of callers who proved nothing (AUDIT-9, THREAT-35): without it a made-up token writes a synchronized line at each
 * call, 134 GB a day from one peer. At most one event a second and peer is recorded; its `details.count` says how many calls it stands
 * for. All other events pass at once, each one.
 */
import type { Awaitable } from '@postern/ports';
import type { AuditDraft } from './audit/audit-outbox.js';
import { peerKey } from './peer-key.js';

/** One event of a peer in each. Milliseconds. */
const WINDOW_MS = 1000;

/** Beyond it further peers share one window. */
const MAX_PEERS = 10_000;

/** Windows of other peers that one event closes at most: its caller waits for them. */
const MAX_CLOSED = 8;

const NO_TOKEN: ReadonlySet<string | undefined> = new Set(['token_missing', 'token_unknown']);

interface Window {
  readonly since: number;
  /** Calls since the event that opened it. */
  readonly count: number;
  /** The last of them. */
  readonly last?: AuditDraft;
}

interface DraftSink {
  record(event: AuditDraft): Awaitable<void>;
}

/** @param sink receives what is left. Time is that of the events. */
export function foldRefusals(sink: DraftSink): { record(event: AuditDraft): Promise<void> } {
  /** In the order in which they were opened. */
  const windows = new Map<string, Window>();

  function open(key: string, window: Window): void {
    windows.delete(key);
    windows.set(key, window);
  }

  async function tell(key: string, event: AuditDraft, count: number): Promise<void> {
    const before = windows.get(key);
    open(key, { since: event.time, count: 0 });
    try {
      await sink.record(count === 1 ? event : { ...event, details: { ...event.details, count: String(count) } });
    } catch (error) {
      if (before === undefined) windows.delete(key);
      else open(key, before);
      throw error;
    }
  }

  /** A flood that ended is told by the next event of anybody. */
  async function closeWindows(now: number): Promise<void> {
    let closed = 0;
    for (const [key, window] of windows) {
      if (!isOver(window, now) || closed >= MAX_CLOSED) return;
      if (window.last === undefined) windows.delete(key);
      else {
        closed += 1;
        // That the sink fails is for the event at hand to say.
        await tell(key, { ...window.last, time: now }, window.count).catch(() => undefined);
      }
    }
  }

  return {
    async record(event) {
      if (!isFolded(event)) {
        await closeWindows(event.time);
        return sink.record(event);
      }
      const peer = peerKey(event.peerAddress);
      const key = windows.has(peer) || windows.size < MAX_PEERS ? peer : '';
      const window = windows.get(key);
      if (window === undefined || isOver(window, event.time)) await tell(key, event, (window?.count ?? 0) + 1);
      else windows.set(key, { since: window.since, count: window.count + 1, last: event });
      await closeWindows(event.time);
    },
  };
}

/** A clock that was set back ends a window too. */
function isOver({ since }: Window, now: number): boolean {
  return Math.abs(now - since) >= WINDOW_MS;
}

function isFolded({ outcome, code, reason }: AuditDraft): boolean {
  return outcome === 'denied' && (code === 'rate_limited' || NO_TOKEN.has(reason));
}
