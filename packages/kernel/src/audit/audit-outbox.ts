/**
 * No effect without an event (AUDIT-6): the event of a change is appended to this node's log in the commit of the change, and
 * fed from there to the sinks, at least once. Whatever fails or crashes afterwards, the event is stored.
 */
import {
  type AuditEvent,
  type AuditSink,
  type CallOptions,
  type Clock,
  type CommitResult,
  isStorageError,
  type LogPosition,
  type Operation,
  type RandomSource,
  STORAGE_LIMITS,
  type Storage,
  systemClock,
  systemRandom,
} from '@postern/ports';
import { createUuid } from '../encoding/bytes.js';
import { inTime } from '../store.js';
import { NodeLogs, parseLogEntry, redactedEvent } from './node-logs.js';
import { MAX_WAITING, RECORD_TIMEOUT_MS, SinkFeeder, type SinkState, type StoredEvent } from './sink-feeder.js';

/** An event before it has an id. */
export type AuditDraft = Omit<AuditEvent, 'id'>;

export interface AuditOutboxOptions {
  /** The storage of what events tell of. */
  readonly storage: Storage;
  /** Each gets every event; one that fails does not hold up the others. */
  readonly sinks: readonly AuditSink[];
  readonly clock?: Clock | undefined;
  readonly random?: RandomSource | undefined;
  /** Of keys and logs, ends with `/`. */
  readonly prefix: string;
  /**
   * Names this node among those that share the storage. What a node of that name left is fed by the next `feed()`. Default:
   * random; then other nodes feed it, five minutes after this one ended.
   */
  readonly node?: string | undefined;
}

/** A sink in front of sinks: several cores on one storage share it, and with it one order. */
export interface AuditOutbox extends AuditSink {
  /** Records the event of a call that changes nothing. @throws AuditUnavailableError where no sink records it in time. */
  record(event: AuditDraft): Promise<void>;
  /**
   * Commits operations and their event.
   *
   * @throws StorageError like `Storage.commit`; AuditUnavailableError where changes are refused, with nothing committed.
   */
  commit(operations: readonly Operation[], event: AuditDraft, options?: CallOptions): Promise<CommitResult>;
  /** @throws AuditUnavailableError where changes are refused now (AUDIT-7). */
  requireRoom(): void;
  /** Feeds what this node's log still holds, and what dead nodes left. For a timer of the host, about once a minute. */
  feed(): Promise<void>;
  /** One state a sink. */
  states(): readonly SinkState[];
  /** Waits for what is under way, some seconds at most. Does not close the sinks. */
  close(): Promise<void>;
}

/** The audit trail cannot take an event: the call it tells of is refused. */
export class AuditUnavailableError extends Error {
  override readonly name = 'AuditUnavailableError';
}

export function isAuditUnavailable(error: unknown): error is AuditUnavailableError {
  return error instanceof Error && error.name === 'AuditUnavailableError';
}

export function isAuditOutbox(sink: AuditSink): sink is AuditOutbox {
  return 'commit' in sink && 'requireRoom' in sink && 'feed' in sink;
}

/** Removed from the log together: a removal is a commit. */
const REMOVAL = 256;
/** What is recorded is removed so long after it at the latest, where the clock can wait. */
const REMOVAL_MS = 2_000;

/** What this node writes to. */
interface OwnLog {
  readonly logs: NodeLogs;
  readonly log: string;
  /** Begins the ids of events. */
  readonly session: string;
}

export function createAuditOutbox(options: AuditOutboxOptions): AuditOutbox {
  const { storage, clock = systemClock, random = systemRandom, prefix } = options;
  let opened: OwnLog | undefined;
  const closed = new AbortController();
  let count = 0;

  /** Ids whose commits are under way, and of what was read or committed and is not removed yet. */
  const underWay = new Set<string>();
  const known = new Map<string, { left: number }>();
  let recorded = new Map<string, { readonly id: string; readonly position: LogPosition }[]>();
  let recordedCount = 0;
  let removing: Promise<void> | undefined;
  let removalDue = false;

  /** Not at creation: Workers refuse randomness outside of requests. */
  function own(): OwnLog {
    opened ??= openOwn(options.node ?? createUuid(random), createUuid(random));
    return opened;
  }

  function openOwn(node: string, session: string): OwnLog {
    const logs = new NodeLogs(storage, clock, prefix, node);
    return { logs, log: logs.logOf(node), session };
  }

  const feeders = options.sinks.map((sink) => new SinkFeeder(sink, clock, onRecorded));

  function onRecorded(events: readonly StoredEvent[]): void {
    for (const { event, log, position } of events) {
      const entry = known.get(event.id);
      if (entry === undefined) continue;
      entry.left -= 1;
      if (entry.left > 0) continue;
      const ofLog = recorded.get(log) ?? [];
      recorded.set(log, ofLog);
      ofLog.push({ id: event.id, position });
      recordedCount += 1;
    }
    if (recordedCount >= REMOVAL) void remove();
    else if (recordedCount > 0) void removeLater();
  }

  async function removeLater(): Promise<void> {
    if (removalDue || clock.sleep === undefined) return;
    removalDue = true;
    await clock.sleep(REMOVAL_MS, { signal: closed.signal }).catch(() => undefined);
    removalDue = false;
    if (!closed.signal.aborted) await remove();
  }

  /** Never rejects: what could not be removed is tried again with what follows. */
  function remove(): Promise<void> {
    removing ??= removeAll().finally(() => {
      removing = undefined;
    });
    return removing;
  }

  async function removeAll(): Promise<void> {
    const taken = recorded;
    recorded = new Map();
    recordedCount = 0;
    for (const [log, entries] of taken) {
      for (let at = 0; at < entries.length; at += STORAGE_LIMITS.maxPage) {
        const part = entries.slice(at, at + STORAGE_LIMITS.maxPage);
        try {
          await storage.removeFromLog(
            log,
            part.map(({ position }) => position),
          );
          for (const { id } of part) known.delete(id);
        } catch {
          recorded.set(log, [...part, ...(recorded.get(log) ?? [])]);
          recordedCount += part.length;
        }
      }
    }
  }

  function enqueue(stored: StoredEvent): void {
    const { id } = stored.event;
    if (known.has(id)) return;
    known.set(id, { left: feeders.length });
    for (const feeder of feeders) feeder.pushStored(stored);
  }

  /** What a log holds and is not queued. @returns whether the log is empty now. */
  async function feedLog(log: string): Promise<boolean> {
    for (;;) {
      const entries = await storage.readLog(log, { limit: STORAGE_LIMITS.maxPage });
      const [first] = entries;
      if (first === undefined) return true;
      for (const entry of entries) {
        const event = parseLogEntry(entry);
        if (event === undefined || underWay.has(event.id)) continue;
        enqueue({ event, text: entry.value, log, position: entry.position });
      }
      await recordedInTime();
      await remove();
      // Sinks that fail, commits under way: the next time.
      const [next] = await storage.readLog(log, { limit: 1 });
      if (next?.position === first.position) return false;
    }
  }

  /** Until every sink has recorded what waits, or fails, or the time of a call is over. */
  function recordedInTime(): Promise<void> {
    return inTime(clock, RECORD_TIMEOUT_MS, Promise.all(feeders.map((feeder) => feeder.run())));
  }

  let feeding: Promise<void> | undefined;

  function feed(): Promise<void> {
    feeding ??= feedAll().finally(() => {
      feeding = undefined;
    });
    return feeding;
  }

  async function feedAll(): Promise<void> {
    const { logs, log } = own();
    await logs.beatIfDue();
    await feedLog(log);
    await logs.takeOver(feedLog);
  }

  function requireRoom(): void {
    let refusing = 0;
    let isFull = false;
    for (const feeder of feeders) {
      const { refusesChanges, waiting } = feeder.state();
      if (refusesChanges) refusing += 1;
      isFull ||= refusesChanges && waiting >= MAX_WAITING;
    }
    if (isFull || (feeders.length > 0 && refusing === feeders.length)) {
      throw new AuditUnavailableError('audit events are not recorded; changes are refused until they are');
    }
  }

  const withId = (draft: AuditDraft): AuditEvent => {
    count += 1;
    return redactedEvent(`${own().session}-${count}`, draft);
  };

  return {
    requireRoom,
    feed,
    states: () => feeders.map((feeder) => feeder.state()),
    async record(draft) {
      const event = withId(draft);
      try {
        // One sink that records it is enough: a collector that is away does not stop reads.
        await Promise.any(feeders.map((feeder) => feeder.pushPending(event)));
      } catch (cause) {
        throw new AuditUnavailableError('the audit event could not be recorded', { cause });
      }
    },
    async commit(operations, draft, call) {
      requireRoom();
      const event = withId(draft);
      const { logs, log } = own();
      const beat = logs.beat();
      const isFull = operations.length >= STORAGE_LIMITS.maxOperations;
      if (beat !== undefined && isFull) await storage.commit([beat], call);
      const text = JSON.stringify(event);
      const all: Operation[] = [...operations];
      if (beat !== undefined && !isFull) all.push(beat);
      all.push({ type: 'append', log, value: text });
      underWay.add(event.id);
      let result: CommitResult;
      try {
        result = await storage.commit(all, call);
      } catch (error) {
        // It may have been applied: then the log has the event.
        if (isStorageError(error) && error.code === 'outcome_unknown') void feedLater();
        throw error;
      } finally {
        underWay.delete(event.id);
      }
      if (beat !== undefined) logs.beaten();
      const position = result.positions.at(-1);
      if (position !== undefined) enqueue({ event, text, log, position });
      return { versions: result.versions.slice(0, operations.length), positions: result.positions.slice(0, -1) };
    },
    async close() {
      closed.abort();
      await Promise.all(feeders.map((feeder) => feeder.close()));
      await remove();
    },
  };

  async function feedLater(): Promise<void> {
    await Promise.resolve();
    await feedLog(own().log).catch(() => undefined);
  }
}

/** What one commit adds to the event of its call. */
export interface TrailStep<Facts> {
  readonly facts?: Facts;
  /** More follows, in storage or outside: the event says what begins, and another one how it ended. */
  readonly intent?: boolean;
}

/**
 * The event of one call: committed with the call's effect, or recorded when it ends; never twice.
 *
 * @param eventOf the event as the call stands: `facts` belong to one commit, `error` says that it was refused.
 */
export function openCallTrail<Facts, Refusal>(
  outbox: Pick<AuditOutbox, 'record' | 'commit'>,
  eventOf: (step: { readonly facts?: Facts; readonly error?: Refusal }) => AuditDraft | Promise<AuditDraft>,
  call: CallOptions,
) {
  let isTold = false;
  return {
    /** @throws as `AuditOutbox.commit`, and what `eventOf` throws. */
    async commit(operations: readonly Operation[], step: TrailStep<Facts> = {}): Promise<CommitResult> {
      const made = eventOf(step.facts === undefined ? {} : { facts: step.facts });
      const event: AuditDraft = made instanceof Promise ? await made : made;
      try {
        const result = await outbox.commit(operations, step.intent ? { ...event, phase: 'intent' } : event, call);
        isTold = !step.intent;
        return result;
      } catch (error) {
        // A call that ends well all the same has found it applied: then its event was stored.
        if (!step.intent && isStorageError(error) && error.code === 'outcome_unknown') isTold = true;
        throw error;
      }
    },
    /** How the call ended; nothing where that was committed. @throws as `AuditOutbox.record`, and what `eventOf` throws. */
    async record(error?: Refusal): Promise<void> {
      if (error === undefined && isTold) return;
      await outbox.record(await eventOf(error === undefined ? {} : { error }));
    },
  };
}
