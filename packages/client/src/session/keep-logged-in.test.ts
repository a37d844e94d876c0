/** A session through renewals, refusals, outages, its token's end and its own; by a clock that moves only when it sleeps. */
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type ClientErrorKind, PosternClientError } from '../client-error.js';
import type { PosternClient } from '../login/client-options.js';
import type { Login } from '../login/login.js';
import { keepLoggedIn, type PosternSession, type SessionOptions } from './keep-logged-in.js';

type Answer = number | PosternClientError | Error | 'hang';
const failure = (kind: ClientErrorKind, retryAfterSeconds?: number, code = kind as string) =>
  new PosternClientError(kind, code, 'text', { retryAfterSeconds });

const sessions: PosternSession[] = [];
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.close()));
});

/** Answers in the order of the calls: a lifetime in seconds, or a failure. After the last, nothing happens any more. */
function start(logins: Answer[], renewals: Answer[] = [], options: SessionOptions = {}) {
  let now = 1_000_000;
  let made = 0;
  const log: string[] = [];
  const errors: unknown[] = [];
  const revoked: string[] = [];
  const at = () => (now - 1_000_000) / 1_000;
  const answer = async (from: Answer[], what: string, token: () => string, signal: AbortSignal | undefined) => {
    const next = from.shift();
    log.push(`${at()} ${what}`);
    if (next === undefined || next === 'hang') {
      return new Promise<Login>((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(failure('aborted')), { once: true });
      });
    }
    if (next instanceof Error) throw next;
    const shown = { accessor: '', policies: [], metadata: {}, entityId: '', renewable: true };
    return { ...shown, token: token(), ttlSeconds: next };
  };
  const unused = async () => Promise.reject(new Error('not asked for'));
  const client: PosternClient = {
    loginWithInstance: unused,
    loginWithPrincipal: unused,
    lookupSelf: unused,
    renewSelf: (token, how) => answer(renewals, `renew ${token}`, () => token, how?.signal),
    revokeSelf: async (token) => {
      revoked.push(token);
    },
    manage: async () => ({}),
  };
  const session = keepLoggedIn(client, (_client, { signal }) => answer(logins, 'login', () => `t${++made}`, signal), {
    now: () => now,
    // A turn of the loop between steps, so that what waits may go on.
    sleep: async (ms, signal) => {
      await turn();
      if (signal?.aborted !== true) now += ms;
    },
    random: () => 0.5,
    onError: (error) => void errors.push(error),
    ...options,
  });
  sessions.push(session);
  const until = async (count: number) => {
    while (log.length < count) await turn();
    return log;
  };
  return { session, log, errors, revoked, until, now: () => now };
}

describe('a session', () => {
  it('renews after two thirds of each lifetime', async () => {
    const { session, until } = start([300], [300, 300]);
    expect(await session.token()).toBe('t1');
    expect(await until(4)).toEqual(['0 login', '200 renew t1', '400 renew t1', '600 renew t1']);
  });

  it('logs in anew where the renewals meet the end of the token', async () => {
    const { until } = start([300, 300], [300, 90]);
    expect(await until(5)).toEqual(['0 login', '200 renew t1', '400 renew t1', '460 login', '660 renew t2']);
  });

  it.each<ClientErrorKind>(['denied', 'forbidden', 'invalid', 'not_found'])(
    'logs in anew, at once, where a renewal is %s',
    async (kind) => {
      const { session, errors, until } = start([300, 300], [failure(kind)]);
      expect(await until(4)).toEqual(['0 login', '200 renew t1', '200 login', '400 renew t2']);
      expect(await session.token()).toBe('t2');
      expect(errors).toMatchObject([{ kind }]);
    },
  );

  it('serves the old token through an outage, asks ever more rarely, and logs in at its end', async () => {
    const away = () => failure('unavailable');
    const test = start([300, away(), 300], Array.from({ length: 9 }, away));
    await test.until(4);
    expect(await test.session.token()).toBe('t1');
    expect(await test.until(11)).toEqual([
      '0 login',
      ...['200', '200.75', '202.25', '205.25', '211.25', '223.25', '247.25', '292.25'].map((at) => `${at} renew t1`),
      '300 login',
      '345 login',
    ]);
    expect(await test.session.token()).toBe('t2');
  });

  it('forgets an outage that is over', async () => {
    const away = () => failure('unavailable');
    const { until } = start([300], [away(), away(), 300, away(), 300]);
    const times = ['200', '200.75', '202.25', '402.25', '403'].map((at) => `${at} renew t1`);
    expect(await until(6)).toEqual(['0 login', ...times]);
  });

  it('comes back when the server says, and not before', async () => {
    const { until } = start([failure('unavailable', 20), 60]);
    expect(await until(2)).toEqual(['0 login', '20 login']);
  });

  it('goes on after a refusal, slowly, and tells who waits', async () => {
    const { session, errors, until } = start([failure('denied'), failure('denied'), 60]);
    await expect(session.token()).rejects.toMatchObject({ kind: 'denied' });
    await expect(session.token()).rejects.toMatchObject({ kind: 'denied' });
    expect(await session.token()).toBe('t1');
    expect(errors).toHaveLength(2);
    expect(await until(3)).toEqual(['0 login', '6 login', '18 login']);
  });

  it.each([new RangeError('of a provider'), failure('evidence'), failure('nonce_store')])(
    'tells who waits of a login that cannot be made: %s',
    async (error) => {
      const { session } = start([error, 60]);
      await expect(session.token()).rejects.toBe(error);
      expect(await session.token()).toBe('t1');
    },
  );

  it('lets callers wait while server or metadata service are away', async () => {
    const passing = failure('evidence', undefined, 'metadata_timed_out');
    const { session } = start([failure('unavailable'), passing, 60]);
    expect(await Promise.all([session.token(), session.token()])).toEqual(['t1', 't1']);
  });

  it('keeps a refusal to itself while the old token lives', async () => {
    const { session, until } = start([300, failure('denied')], [failure('denied')]);
    await until(3);
    expect(await session.token()).toBe('t1');
  });

  it('gives no token past its end: after sleep of the machine it logs in', async () => {
    let now = 0;
    let woken = () => {};
    let logins = 0;
    const shown = { accessor: '', policies: [], metadata: {}, entityId: '', renewable: true };
    const never = async () => Promise.reject(new Error('not asked for'));
    const session = keepLoggedIn(
      {
        loginWithInstance: never,
        loginWithPrincipal: never,
        lookupSelf: never,
        renewSelf: never,
        revokeSelf: never,
        manage: never,
      },
      async () => ({ ...shown, token: `t${++logins}`, ttlSeconds: 60 }),
      {
        now: () => now,
        sleep: (_ms, signal) =>
          new Promise((resolve) => {
            woken = resolve;
            signal?.addEventListener('abort', () => resolve(), { once: true });
          }),
      },
    );
    sessions.push(session);
    expect(await session.token()).toBe('t1');
    now = 3_600_000;
    const token = session.token();
    woken();
    expect(await token).toBe('t2');
  });

  it('never sleeps longer than it takes to notice that', async () => {
    const slept: number[] = [];
    const { until } = start([300], [], {
      sleep: async (ms) => {
        slept.push(ms);
        await turn();
        return new Promise(() => {});
      },
    });
    await until(1);
    await turn();
    expect(slept).toEqual([10_000]);
    sessions.length = 0;
  });

  it('leaves a token without end alone', async () => {
    const { session, log, now } = start([0]);
    await session.token();
    for (let step = 0; step < 50; step += 1) await turn();
    expect(now()).toBeGreaterThan(1_200_000);
    expect(log).toEqual(['0 login']);
    expect(await session.token()).toBe('t1');
  });
});

describe('who listens', () => {
  it('receives each token, and their own errors', async () => {
    const told: string[] = [];
    const { errors, until } = start([300], [300], {
      onToken: ({ token }, by) => {
        told.push(`${by} ${token}`);
        throw new Error('of the listener');
      },
    });
    await until(3);
    expect(told).toEqual(['login t1', 'renew t1']);
    expect(errors).toMatchObject([{ message: 'of the listener' }, { message: 'of the listener' }]);
  });

  it('does not end the session', async () => {
    const { session } = start([failure('unavailable'), 60], [], {
      onError: async () => Promise.reject(new Error('of the listener')),
    });
    expect(await session.token()).toBe('t1');
  });
});

describe('the end', () => {
  it('comes with close, or with a signal; nothing is asked afterwards', async () => {
    const byClose = start([300]);
    await byClose.session.token();
    await byClose.session.close();
    const ending = new AbortController();
    const bySignal = start([300], [], { signal: ending.signal });
    await bySignal.session.token();
    ending.abort();
    await bySignal.session.close();
    for (const { session, log, revoked } of [byClose, bySignal]) {
      await expect(session.token()).rejects.toMatchObject({ kind: 'aborted', code: 'session_ended' });
      const asked = log.length;
      await turn();
      expect([log.length, revoked]).toEqual([asked, []]);
    }
  });

  it('rejects who waits, and stops what is under way', async () => {
    const { session, errors, until } = start(['hang']);
    const waiting = expect(session.token()).rejects.toMatchObject({ code: 'session_ended' });
    await until(1);
    await session.close();
    await waiting;
    expect(errors).toEqual([]);
  });

  it('comes before the beginning where the signal was there first', async () => {
    const { session, log } = start([300], [], { signal: AbortSignal.abort() });
    await expect(session.token()).rejects.toMatchObject({ code: 'session_ended' });
    await session.close();
    expect(log).toEqual([]);
  });

  it('revokes a live token where that is wanted', async () => {
    const { session, revoked } = start([300], [], { revokeAtEnd: true });
    await session.token();
    await session.close();
    await session.close();
    expect(revoked).toEqual(['t1']);
    const none = start(['hang'], [], { revokeAtEnd: true });
    await none.session.close();
    expect(none.revoked).toEqual([]);
  });

  it('is only of the waiting where the signal is of the waiting', async () => {
    const { session, until } = start([failure('unavailable', 50), 60]);
    await expect(session.token({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' });
    const giving = new AbortController();
    const waiting = expect(session.token({ signal: giving.signal })).rejects.toMatchObject({ code: 'aborted' });
    giving.abort();
    await waiting;
    await until(2);
    expect(await session.token({ signal: AbortSignal.abort() })).toBe('t1');
  });
});
