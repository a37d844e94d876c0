/**
 * The way of a worker to the server that started it, which has what only one process can have: the audit log, whose lines are one
 * chain, and the address of the figures. When that server ends the channel closes, and Node ends the worker.
 */
import type { AuditEvent } from '@postern/ports';
import type { ClosableAuditSink } from '../audit/audit-lines.js';
import type { LogFacts } from '../log.js';
import { type FromWorker, type ToWorker, WORKER_VARIABLE } from './messages.js';

export interface WorkerLink {
  /** From 1; the same after a restart. */
  readonly number: number;
  /** Records events by the sink of that place in the configuration. */
  sink(place: number, name: string): ClosableAuditSink;
  listening(facts: LogFacts): void;
  onStop(stop: () => void): void;
  onReload(reload: () => void): void;
  onFigures(figures: () => Promise<readonly object[]>): void;
}

/** Undefined in a process that no server started as its worker. */
export function workerLink(): WorkerLink | undefined {
  const number = Number(process.env[WORKER_VARIABLE]);
  if (!Number.isInteger(number) || number < 1 || process.send === undefined) return undefined;
  const send = (message: FromWorker) => process.send?.(message);
  const handlers: { stop?: () => void; reload?: () => void; figures?: () => Promise<readonly object[]> } = {};
  const waiting = new Map<number, { readonly resolve: () => void; readonly reject: (error: Error) => void }>();
  let calls = 0;

  // Sent by `startWorkers`, which runs the same build.
  process.on('message', (message: ToWorker) => {
    switch (message.type) {
      case 'stop':
        return handlers.stop?.();
      case 'reload':
        return handlers.reload?.();
      case 'figures':
        return void handlers.figures?.().then((figures) => send({ type: 'figures', figures }));
      case 'recorded': {
        const { call, ok, code } = message;
        const asked = waiting.get(call);
        waiting.delete(call);
        if (ok) asked?.resolve();
        else asked?.reject(Object.assign(new Error('the audit sink failed'), { code }));
      }
    }
  });

  function record(sink: number, events: readonly AuditEvent[]): Promise<void> {
    calls += 1;
    const call = calls;
    return new Promise((resolve, reject) => {
      waiting.set(call, { resolve, reject });
      send({ type: 'record', call, sink, events });
    });
  }

  return {
    number,
    sink: (place, name) => ({
      name,
      record: (event) => record(place, [event]),
      recordAll: (events) => record(place, events),
      // Theirs who opened it.
      reopen: async () => undefined,
      close: async () => undefined,
    }),
    listening: (facts) => send({ type: 'listening', facts }),
    onStop: (stop) => {
      handlers.stop = stop;
    },
    onReload: (reload) => {
      handlers.reload = reload;
    },
    onFigures: (figures) => {
      handlers.figures = figures;
    },
  };
}
