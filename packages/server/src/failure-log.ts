/**
 * Failures of calls in the operator's log (PROVIDER-7): of the cloud, the storage, a key wrapper, and unexpected ones. An outage fails
 * every call, and must not fill the disk: of each kind the first is logged at once, then at most one a minute, with a count.
 */
import type { AuthError } from '@postern/core-auth';
import type { ErrorContext } from '@postern/http';
import { describeError, type Log, type LogFacts, type LogLevel, textIn } from './log.js';

const EVERY_MS = 60_000;
/** Further kinds share one line. Codes are few; what a cloud answers with is not ours to bound. */
const MAX_KINDS = 100;
/** Of the callers' own making: who hung up, or sent too much. */
const OF_CALLERS: ReadonlySet<string> = new Set(['aborted', 'server_busy']);

export interface FailureLog {
  /** A call that was not answered for something that the server depends on. */
  unavailable(error: AuthError, at: ErrorContext): void;
  unexpected(error: unknown, at: ErrorContext): void;
  /** Logs what was counted and not yet logged. */
  stop(): void;
}

/** Since its last line. */
interface Kind {
  count: number;
  last: () => void;
  readonly timer: NodeJS.Timeout;
}

export function createFailureLog(log: Log, everyMs: number = EVERY_MS): FailureLog {
  const kinds = new Map<string, Kind>();

  function open(key: string): void {
    const timer = setTimeout(() => close(key), everyMs);
    timer.unref();
    kinds.set(key, { count: 0, last: () => undefined, timer });
  }

  function close(key: string): void {
    const kind = kinds.get(key);
    kinds.delete(key);
    if (kind === undefined || kind.count === 0) return;
    kind.last();
    open(key);
  }

  /** @param facts made only for what is logged: in an outage a stack is not read for every call */
  function record(named: string, level: LogLevel, message: string, facts: () => LogFacts): void {
    const key = kinds.has(named) || kinds.size < MAX_KINDS ? named : '';
    const kind = kinds.get(key);
    if (kind === undefined) {
      log(level, message, facts());
      open(key);
      return;
    }
    kind.count += 1;
    const { count } = kind;
    kind.last = () => log(level, message, { ...facts(), count });
  }

  return {
    unavailable(error, { requestId, operation }) {
      if (OF_CALLERS.has(error.code)) return;
      // Not by the reason: the id of the cloud's request in it is another in each failure.
      const kind = `${error.code} ${textIn(error.cause, 'cloudCode') ?? ''}`;
      record(kind, 'warning', 'a call failed: something that the server depends on did not do its part', () => {
        const { code, reason, cause, cause_code } = describeError(error);
        return { code, reason, cause, cause_code, operation, request_id: requestId };
      });
    },
    unexpected(error, at) {
      const facts = describeError(error);
      const kind = `unexpected ${facts['error']} ${facts['code'] ?? ''} ${facts['at'] ?? ''}`;
      record(kind, 'error', 'unhandled error while serving a request', () => ({ ...at, ...facts }));
    },
    stop() {
      for (const { timer, count, last } of kinds.values()) {
        clearTimeout(timer);
        if (count > 0) last();
      }
      kinds.clear();
    },
  };
}
