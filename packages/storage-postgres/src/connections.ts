/**
 * The pool: a connection within a bound or `unavailable`, one question on it within a bound. A connection that failed or
 * did not answer in time is never used again: its next answer may belong to an earlier question.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { StorageError } from '@postern/ports';
import { Pool, type PoolClient, type QueryResultRow } from 'pg';
import { columnTypes } from './column-types.js';
import { isForeignStatement, isRolledBack, mayBeTriedAgain, safeCause } from './failure.js';
import { checkSession } from './session.js';
import type { Settings } from './settings.js';
import type { Statement } from './statements.js';

/** Beyond the server's own bound on a statement: for its answer to come, which says more than our silence. */
const ANSWER_GRACE_MS = 1_000;
/** How long `close` waits for the server to take its leave. */
const CLOSE_MS = 5_000;
/** Between the first two attempts, at most, and then twice as long each time. Unequal: of two in each other's way one must get ahead. */
const RETRY_MS = 20;
const LONGEST_RETRY_MS = 320;

export interface Connections {
  /** @throws StorageError `unavailable`, `aborted`. The message says nothing was sent. */
  acquire(signal: AbortSignal | undefined): Promise<PoolClient>;
  /**
   * Asks one question.
   *
   * @throws what the driver throws, or `LateAnswer`; the connection is given back, or ended, in any case.
   */
  ask<Row extends QueryResultRow>(client: PoolClient, statement: Statement, values: unknown[]): Promise<readonly Row[]>;
  /**
   * Asks on a connection of its own, and again where another transaction was in the way, `attempts` times in all.
   *
   * @throws as `acquire` and `ask` do.
   */
  repeat<Row extends QueryResultRow>(
    statement: Statement,
    values: unknown[],
    attempts: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly Row[]>;
  /** The driver's pool, for what opening does before anybody else has it. */
  connect(): Promise<PoolClient>;
  end(): Promise<void>;
}

/** Connections that were checked, by any storage of this process: several may share a pool. */
const checked = new WeakSet<PoolClient>();

/** No answer came in time. */
class LateAnswer extends Error {
  override readonly name = 'LateAnswer';
}

/** @throws whatever the driver throws for settings that it cannot read. */
export function createConnections({
  pool: config,
  given,
  statementTimeoutMs,
  connectTimeoutMs,
}: Settings): Connections {
  // A pool of the host is one of the driver, whose types the public declarations cannot name.
  const pool = given === undefined ? new Pool(config) : (given as Pool);
  /** Off for good once a pooler in transaction mode shows: a statement is then parsed at each call. */
  let prepares = true;
  // The pool drops idle connections that break. One in use fails its question; its event without a listener would end the process.
  if (given === undefined) pool.on('error', () => undefined);

  /** A connection of the pool, checked before its first use. */
  async function take(): Promise<PoolClient> {
    const client = await pool.connect();
    if (checked.has(client)) return client;
    client.on('error', () => undefined);
    try {
      await checkSession(client, statementTimeoutMs);
    } catch (error) {
      client.release(true);
      throw error;
    }
    checked.add(client);
    return client;
  }

  /** The same within the bound. @throws what the driver throws, or `LateAnswer`. */
  async function taken(signal?: AbortSignal): Promise<PoolClient> {
    const connecting = take();
    try {
      return await within(connecting, connectTimeoutMs + ANSWER_GRACE_MS, signal);
    } catch (error) {
      // It may come yet, and others wait for one.
      void connecting.then((client) => client.release()).catch(() => undefined);
      throw error;
    }
  }

  async function acquire(signal: AbortSignal | undefined): Promise<PoolClient> {
    try {
      return await taken(signal);
    } catch (error) {
      if (signal?.aborted === true) throw new StorageError('aborted', 'the call was aborted before it was sent');
      throw new StorageError('unavailable', 'the database gave no connection; nothing was sent', {
        cause: safeCause(error),
      });
    }
  }

  async function send<Row extends QueryResultRow>(client: PoolClient, statement: Statement, values: unknown[]) {
    const { name, text } = statement;
    const isPrepared = prepares;
    const asked = client.query<Row>({ text, values, types: columnTypes, ...(isPrepared ? { name } : {}) });
    try {
      return (await within(asked, statementTimeoutMs + ANSWER_GRACE_MS)).rows;
    } catch (error) {
      if (!isPrepared || !isForeignStatement(error)) throw error;
      prepares = false;
      return send<Row>(client, statement, values);
    }
  }

  async function ask<Row extends QueryResultRow>(client: PoolClient, statement: Statement, values: unknown[]) {
    let failure: unknown;
    try {
      return await send<Row>(client, statement, values);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      client.release(failure !== undefined && !isRolledBack(failure));
    }
  }

  async function repeat<Row extends QueryResultRow>(
    statement: Statement,
    values: unknown[],
    attempts: number,
    signal: AbortSignal | undefined,
  ) {
    for (let attempt = 1; ; attempt += 1) {
      const client = await acquire(signal);
      try {
        return await ask<Row>(client, statement, values);
      } catch (error) {
        if (attempt === attempts || !mayBeTriedAgain(error)) throw error;
        await pause(attempt);
      }
    }
  }

  return {
    acquire,
    ask,
    repeat,
    connect: () => taken(),
    end: async () => {
      if (given === undefined) await within(pool.end(), CLOSE_MS).catch(() => undefined);
    },
  };
}

/** @param attempt from 1: the one that failed. */
export function pause(attempt: number): Promise<void> {
  return delay(Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** (attempt - 1)) * Math.random());
}

/** Resolves as the work does, unless time or the signal ends first. The work goes on, and its result is dropped. */
async function within<T>(work: Promise<T>, limitMs: number, signal?: AbortSignal): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new LateAnswer('no answer came in time')), limitMs);
    onAbort = () => reject(new LateAnswer('the caller gave up'));
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, ended]);
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort);
  }
}
