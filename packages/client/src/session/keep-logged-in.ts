/**
 * A token that is always good: renewed in time, replaced by a new login where renewal is refused or the token reaches its end. The
 * old token serves on for as long as it lives; a server that is away is asked again, ever more rarely.
 */
import { isPosternClientError, PosternClientError } from '../client-error.js';
import type { PosternClient } from '../login/client-options.js';
import type { Login } from '../login/login.js';
import { realSleep, type Sleep } from '../login/retry.js';
import { backoffMs, isLive, type Lease, leaseOf } from './lease.js';

/** How to log in; called at the start, and whenever the token cannot be renewed. */
export type LoginStep = (client: PosternClient, options: { readonly signal: AbortSignal }) => Promise<Login>;

export interface SessionOptions {
  /** Ends the session. */
  readonly signal?: AbortSignal;
  /** After each login and renewal. What it throws goes to `onError`. */
  readonly onToken?: (login: Login, by: 'login' | 'renew') => unknown;
  /** Each failure, also those that the next try mends. */
  readonly onError?: (error: unknown) => unknown;
  /** Revokes the token at the end. Default false: it ends by itself. */
  readonly revokeAtEnd?: boolean;
  /** Milliseconds that only grow; default the machine's, by both of its clocks. */
  readonly now?: () => number;
  readonly sleep?: Sleep;
  /** From 0 to 1, for jitter. */
  readonly random?: () => number;
}

export interface PosternSession {
  /**
   * A live token: at once where there is one, else that of the try that succeeds next.
   *
   * @throws PosternClientError where the login is refused or cannot be made, `session_ended` at the end; `aborted` by your signal. A server that
   *   is away is waited for: bound it by a signal.
   */
  token(options?: { readonly signal?: AbortSignal }): Promise<string>;
  /** Ends the session. Resolves when nothing runs any more. */
  close(): Promise<void>;
}

/** A machine that slept is noticed within this. Milliseconds. */
const LONGEST_SLEEP_MS = 10_000;

/** Timeout of the revocation at close. Milliseconds. */
const LAST_CALL_MS = 5_000;

interface Waiter {
  readonly resolve: (token: string) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Starts at once and never throws; `await session.token()` waits for the first login. The process lives until `close`.
 *
 * @example
 * ```ts
 * const session = keepLoggedIn(client, (c, how) => c.loginWithInstance({ role: 'web', nonces, ...how }));
 * const answer = await fetch(url, { headers: { authorization: `Bearer ${await session.token()}` } });
 * await session.close();
 * ```
 */
export function keepLoggedIn(client: PosternClient, login: LoginStep, options: SessionOptions = {}): PosternSession {
  const { now = createSteadyClock(), sleep = realSleep, random = Math.random } = options;
  const ending = new AbortController();
  const ended = options.signal === undefined ? ending.signal : AbortSignal.any([ending.signal, options.signal]);
  const waiters = new Set<Waiter>();
  let lease: Lease | undefined;

  const liveToken = () => (lease !== undefined && isLive(lease, now()) ? lease.login.token : undefined);
  const settle = (each: (waiter: Waiter) => void) => {
    for (const waiter of waiters) each(waiter);
    waiters.clear();
  };
  const report = async (error: unknown) => {
    try {
      await options.onError?.(error);
    } catch {
      // An error of the error listener itself has no listener.
    }
  };

  const waitUntil = async (instant: number | undefined) => {
    while (!ended.aborted && (instant === undefined || now() < instant)) {
      await sleep(Math.min(LONGEST_SLEEP_MS, (instant ?? Number.POSITIVE_INFINITY) - now()), ended);
    }
  };

  const attempt = async (step: 'login' | 'renew') => {
    const askedAt = now();
    const renewed = step === 'renew' ? lease : undefined;
    const got =
      renewed === undefined
        ? await login(client, { signal: ended })
        : await client.renewSelf(renewed.login.token, { signal: ended });
    lease = leaseOf(got, askedAt, random(), renewed);
    settle(({ resolve }) => resolve(got.token));
    try {
      await options.onToken?.(got, step);
    } catch (error) {
      await report(error);
    }
  };

  const run = async () => {
    let failures = 0;
    let next: 'login' | 'renew' = 'login';
    let due: number | undefined = now();
    for (;;) {
      await waitUntil(due);
      if (ended.aborted) return;
      // A token that ran out meanwhile is past renewing.
      if (liveToken() === undefined) next = 'login';
      try {
        await attempt(next);
        failures = 0;
        next = lease?.next ?? 'login';
        due = lease?.actAt;
      } catch (error) {
        if (ended.aborted) return;
        await report(error);
        const { kind, retryAfterSeconds } = verdictOn(error);
        if (next === 'renew' && kind === 'refused') {
          next = 'login';
          due = now();
          continue;
        }
        // Nobody waits while the old token lives.
        if (kind === 'refused') settle(({ reject }) => reject(error));
        failures += 1;
        due = now() + backoffMs(failures, kind, retryAfterSeconds, random());
        // No later than the end of the token: then only a login helps.
        if (next === 'renew' && lease?.expiresAt !== undefined) due = Math.min(due, lease.expiresAt);
      }
    }
  };

  const running = run().then(async () => {
    settle(({ reject }) => reject(sessionEnded()));
    const token = options.revokeAtEnd === true ? liveToken() : undefined;
    lease = undefined;
    if (token === undefined) return;
    await client.revokeSelf(token, { signal: AbortSignal.timeout(LAST_CALL_MS) }).catch(report);
  });

  return {
    token({ signal } = {}) {
      if (ended.aborted) return Promise.reject(sessionEnded());
      const token = liveToken();
      if (token !== undefined) return Promise.resolve(token);
      return new Promise((resolve, reject) => {
        const done = () => signal?.removeEventListener('abort', giveUp);
        const waiter: Waiter = {
          resolve: (live) => {
            done();
            resolve(live);
          },
          reject: (error) => {
            done();
            reject(error);
          },
        };
        const giveUp = () => {
          waiters.delete(waiter);
          reject(new PosternClientError('aborted', 'aborted', 'aborted while waiting for a token'));
        };
        if (signal?.aborted === true) return giveUp();
        signal?.addEventListener('abort', giveUp, { once: true });
        waiters.add(waiter);
      });
    },
    close() {
      ending.abort();
      return running;
    },
  };
}

function verdictOn(error: unknown): { kind: 'unavailable' | 'refused'; retryAfterSeconds: number | undefined } {
  // From a credential provider, or a bug in the program: callers that wait must see it.
  if (!isPosternClientError(error)) return { kind: 'refused', retryAfterSeconds: undefined };
  const passes = error.kind === 'unavailable' || error.code === 'metadata_timed_out';
  return { kind: passes ? 'unavailable' : 'refused', retryAfterSeconds: error.retryAfterSeconds };
}

function sessionEnded(): PosternClientError {
  return new PosternClientError('aborted', 'session_ended', 'the session has ended');
}

/**
 * How much time has passed, by the clock that says more: the wall clock may be set back, the monotonic one stands still while a
 * machine sleeps. A token is taken for older rather than for younger.
 *
 * @returns milliseconds from 0 on that never go back.
 */
export function createSteadyClock(
  wall: () => number = Date.now,
  monotonic: () => number = () => performance.now(),
): () => number {
  let [lastWall, lastMonotonic, passed] = [wall(), monotonic(), 0];
  return () => {
    const [nowWall, nowMonotonic] = [wall(), monotonic()];
    passed += Math.max(0, nowWall - lastWall, nowMonotonic - lastMonotonic);
    [lastWall, lastMonotonic] = [nowWall, nowMonotonic];
    return passed;
  };
}
