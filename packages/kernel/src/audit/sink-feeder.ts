/**
 * Feeds a sink from a queue, in order, a batch at a time (AUDIT-6, AUDIT-7). Events of changes stay in the queue until they
 * are recorded: storage holds them too. Others have a call that waits for them, and fails with the sink.
 */
import type { AuditEvent, AuditSink, Clock, EpochMillis, LogPosition } from '@postern/ports';
import { inTime } from '../store.js';

/** How long a call waits until its event is recorded. */
export const RECORD_TIMEOUT_MS = 5_000;
/** Changes are refused where the sink has not recorded anything for longer. */
export const MAX_TROUBLE_MS = 60_000;
/** Changes are refused where more events wait. */
export const MAX_WAITING = 10_000;

const MAX_BATCH = 512;
/** Microtasks. */
const PATIENCE = 12;
const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 2_000;

/** An event that storage holds until it is recorded. */
export interface StoredEvent {
  readonly event: AuditEvent;
  /** As JSON, as it is stored. */
  readonly text: string;
  readonly log: string;
  readonly position: LogPosition;
}

/** An event that a call waits for. */
interface Pending {
  readonly event: AuditEvent;
  readonly deadline: EpochMillis;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

type Item = StoredEvent | Pending;

/** What an operator should know of the sink. */
export interface SinkState {
  /** Events that are not recorded yet. */
  readonly waiting: number;
  /** Since when the sink fails or does not answer; undefined while it records. */
  readonly troubledSince: EpochMillis | undefined;
  /** Of the last failure, while it lasts. */
  readonly error: unknown;
  /** Whether calls that would change something are refused. */
  readonly refusesChanges: boolean;
}

export class SinkFeeder {
  readonly #sink: AuditSink;
  readonly #clock: Clock;
  readonly #onRecorded: (events: readonly StoredEvent[]) => void;
  #queue: Item[] = [];
  #batch: readonly Item[] = [];
  #batchSince: EpochMillis = 0;
  #running: Promise<void> | undefined;
  #failingSince: EpochMillis | undefined;
  #error: unknown;
  #retryMs = FIRST_RETRY_MS;
  #retries = false;
  readonly #pending = new Set<Pending>();
  #watch: AbortController | undefined;
  #isWatching = false;
  readonly #closed = new AbortController();

  constructor(sink: AuditSink, clock: Clock, onRecorded: (events: readonly StoredEvent[]) => void) {
    this.#sink = sink;
    this.#clock = clock;
    this.#onRecorded = onRecorded;
  }

  state(): SinkState {
    const now = this.#clock.now();
    // A clock that was set back hides no trouble.
    if (this.#failingSince !== undefined) this.#failingSince = Math.min(this.#failingSince, now);
    this.#batchSince = Math.min(this.#batchSince, now);
    const waiting = this.#queue.length + this.#batch.length;
    const troubledSince = this.#failingSince ?? (this.#batch.length > 0 ? this.#batchSince : undefined);
    const troubledMs = troubledSince === undefined ? 0 : now - troubledSince;
    const refusesChanges = waiting >= MAX_WAITING || troubledMs > MAX_TROUBLE_MS;
    return { waiting, troubledSince, error: this.#error, refusesChanges };
  }

  /** While the sink fails this waits for the next try. */
  pushStored(event: StoredEvent): void {
    this.#queue.push(event);
    if (this.#failingSince === undefined) void this.run();
  }

  /** Resolves when the event is recorded. @throws whatever the sink throws; a TypeError where it does not answer in time. */
  async pushPending(event: AuditEvent): Promise<void> {
    const { waiting, troubledSince } = this.state();
    const now = this.#clock.now();
    const stalled = this.#batch.length > 0 && troubledSince !== undefined && now - troubledSince > RECORD_TIMEOUT_MS;
    if (waiting >= MAX_WAITING || stalled) throw tooSlow();
    await new Promise<void>((resolve, reject) => {
      const pending: Pending = { event, deadline: now + RECORD_TIMEOUT_MS, resolve, reject };
      this.#pending.add(pending);
      this.#queue.push(pending);
      void this.run();
      void this.#watchPending();
    });
  }

  /** Empties the queue, or stops at the first failure. Never rejects. */
  run(): Promise<void> {
    this.#running ??= this.#feed().finally(() => {
      this.#running = undefined;
      // What came while the last batch ended.
      if (this.#queue.length > 0 && this.#failingSince === undefined) void this.run();
    });
    return this.#running;
  }

  /** Tries once more, at most as long as a call waits. */
  async close(): Promise<void> {
    this.#closed.abort();
    await inTime(this.#clock, RECORD_TIMEOUT_MS, this.run());
  }

  async #feed(): Promise<void> {
    while (this.#queue.length > 0) {
      this.#batch = this.#queue.splice(0, MAX_BATCH);
      this.#batchSince = this.#clock.now();
      const failure = await this.#deliver(this.#batch);
      this.#batch = [];
      if (failure !== undefined) {
        this.#failed(failure.error);
        return;
      }
      this.#failingSince = undefined;
      this.#error = undefined;
      this.#retryMs = FIRST_RETRY_MS;
    }
  }

  /** @returns the failure, with the events that storage holds back in the queue. */
  async #deliver(batch: readonly Item[]): Promise<{ readonly error: unknown } | undefined> {
    const outcomes = await this.#record(batch);
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    const stored: StoredEvent[] = [];
    const left: StoredEvent[] = [];
    for (const [at, item] of batch.entries()) {
      // Of a sink that takes all at once there is one outcome.
      const isRecorded = (outcomes[at] ?? outcomes[0])?.status === 'fulfilled';
      if ('position' in item) (isRecorded ? stored : left).push(item);
      else this.#settle(item, isRecorded ? undefined : failure?.reason);
    }
    if (stored.length > 0) this.#onRecorded(stored);
    this.#queue = left.length === 0 ? this.#queue : [...left, ...this.#queue];
    return failure && { error: failure.reason };
  }

  /** @returns the outcome of each, or one for all. */
  async #record(batch: readonly Item[]): Promise<readonly PromiseSettledResult<void>[]> {
    const sink = this.#sink;
    const events = batch.map(({ event }) => event);
    if (sink.recordAll === undefined) return Promise.allSettled(events.map(async (event) => sink.record(event)));
    const texts = batch.map((item) => ('text' in item ? item.text : JSON.stringify(item.event)));
    return Promise.allSettled([(async () => sink.recordAll?.(events, texts))()]);
  }

  #failed(error: unknown): void {
    this.#failingSince ??= this.#clock.now();
    this.#error = error;
    // Nothing is told out of order: what a call waits for behind events that could not be recorded fails too.
    for (const item of this.#queue) if (!('position' in item)) this.#settle(item, error);
    this.#queue = this.#queue.filter((item) => 'position' in item);
    void this.#retryLater();
  }

  async #retryLater(): Promise<void> {
    // Calls that wait for their event try it too: one timer is enough.
    if (this.#clock.sleep === undefined || this.#queue.length === 0 || this.#retries) return;
    const wait = this.#retryMs;
    this.#retryMs = Math.min(wait * 2, MAX_RETRY_MS);
    this.#retries = true;
    try {
      await this.#clock.sleep(wait, { signal: this.#closed.signal });
    } catch {
      return;
    } finally {
      this.#retries = false;
    }
    await this.run();
  }

  /** Fails the calls whose time is over, for as long as any waits: one watch for all of them. */
  async #watchPending(): Promise<void> {
    if (this.#isWatching || this.#clock.sleep === undefined) return;
    this.#isWatching = true;
    // A watch ends when nobody waits; meanwhile another call may have come.
    while (this.#pending.size > 0) await this.#watchOnce(this.#clock.sleep);
    this.#isWatching = false;
  }

  async #watchOnce(sleep: NonNullable<Clock['sleep']>): Promise<void> {
    // A sink that answers at once needs no timer.
    for (let turn = 0; turn < PATIENCE && this.#pending.size > 0; turn += 1) await undefined;
    if (this.#pending.size === 0) return;
    this.#watch = new AbortController();
    const { signal } = this.#watch;
    for (let [first] = this.#pending; first !== undefined && !signal.aborted; [first] = this.#pending) {
      const left = Math.max(1, first.deadline - this.#clock.now());
      await sleep.call(this.#clock, Math.min(left, RECORD_TIMEOUT_MS), { signal }).catch(() => undefined);
      // Its time is over, whatever a clock shows that was set back meanwhile.
      const due = signal.aborted ? this.#clock.now() : Math.max(this.#clock.now(), first.deadline);
      for (const pending of this.#pending) if (pending.deadline <= due) this.#settle(pending, tooSlow());
      this.#queue = this.#queue.filter((item) => 'position' in item || this.#pending.has(item));
    }
  }

  #settle(pending: Pending, error?: unknown): void {
    this.#pending.delete(pending);
    if (error === undefined) pending.resolve();
    else pending.reject(error);
    if (this.#pending.size > 0) return;
    // Nobody waits any more: no timer keeps the process alive.
    this.#watch?.abort();
    this.#watch = undefined;
  }
}

function tooSlow(): Error {
  return new Error('the audit sink does not record events in time');
}
