/** Sinks that do not record events are seen at once (AUDIT-7): in the log, and in the warnings. */
import type { AuditOutbox } from '@postern/kernel';
import type { Clock } from '@postern/ports';
import { describeError, type Log } from '../log.js';

const LOOK_MS = 1_000;
/** A batch on its way to a slow disk is no trouble yet. */
const TROUBLE_MS = 2_000;
const REPEAT_MS = 60_000;

export interface AuditWatch {
  warnings(): readonly string[];
  stop(): void;
}

/** @param names of the sinks, in their order. */
export function watchAudit(outbox: AuditOutbox, names: readonly string[], clock: Clock, log: Log): AuditWatch {
  const loggedAt = new Map<string, number>();

  const troubled = () =>
    outbox.states().flatMap((state, at) => {
      const since = state.troubledSince;
      if (since === undefined || clock.now() - since < TROUBLE_MS) return [];
      return [{ ...state, sink: names[at] ?? 'audit', seconds: Math.round((clock.now() - since) / 1000) }];
    });

  function look(): void {
    const now = clock.now();
    const failing = troubled();
    for (const { sink, seconds, waiting, error, refusesChanges } of failing) {
      const last = loggedAt.get(sink);
      if (last !== undefined && now - last < REPEAT_MS) continue;
      loggedAt.set(sink, now);
      const why = error === undefined ? {} : describeError(error);
      log('error', 'the audit sink does not record events', { sink, seconds, waiting, refusesChanges, ...why });
    }
    for (const sink of [...loggedAt.keys()]) {
      if (failing.some((one) => one.sink === sink)) continue;
      loggedAt.delete(sink);
      log('info', 'the audit sink records events again', { sink });
    }
  }

  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return {
    warnings: () =>
      troubled().map(({ sink, seconds, waiting }) => {
        return `the audit sink ${sink} has not recorded events for ${seconds} s; ${waiting} wait`;
      }),
    stop: () => clearInterval(timer),
  };
}
