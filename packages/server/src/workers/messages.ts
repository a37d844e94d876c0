/** What a server and its workers say to each other, over the channel of the child process: JSON. */
import type { AuditEvent } from '@postern/ports';
import type { LogFacts } from '../log.js';

/** Names a worker in its environment: a number from 1. */
export const WORKER_VARIABLE = 'POSTERN_WORKER';

export type ToWorker =
  | { readonly type: 'stop' }
  | { readonly type: 'reload' }
  | { readonly type: 'figures' }
  /** Events of that call are recorded, or not. */
  | { readonly type: 'recorded'; readonly call: number; readonly ok: boolean; readonly code?: string | undefined };

export type FromWorker =
  | { readonly type: 'listening'; readonly facts: LogFacts }
  | {
      readonly type: 'record';
      readonly call: number;
      /** Its place in the configuration. */
      readonly sink: number;
      readonly events: readonly AuditEvent[];
    }
  | { readonly type: 'figures'; readonly figures: readonly object[] };
