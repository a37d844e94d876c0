/**
 * How a directory method misbehaves on demand, and the log of the calls it got. "Could not find out" is always a
 * ProviderError, never an answer (ports, ProviderErrorCode).
 */
import {
  type CallOptions,
  type EpochMillis,
  type InstanceQuery,
  type PrincipalQuery,
  type ProfileQuery,
  ProviderError,
  type ProviderErrorCode,
} from '@postern/ports';

/** The methods of the directories and what each is asked. */
export interface DirectoryQueries {
  readonly describeInstance: InstanceQuery;
  readonly rolesOfProfile: ProfileQuery;
  readonly describePrincipal: PrincipalQuery;
}

export type DirectoryMethod = keyof DirectoryQueries;

/** A call that reached the cloud; one refused for its account or already aborted never did. */
export type FakeCloudCall = {
  readonly [Method in DirectoryMethod]: {
    readonly method: Method;
    readonly query: DirectoryQueries[Method];
    readonly at: EpochMillis;
  };
}[DirectoryMethod];

/** For how many calls a behaviour lasts: until `restore()` unless told. */
export interface Times {
  readonly times?: number;
}

/** What a method does to its callers. Failure, lag and hanging are apart: a lagging method may also fail. */
export interface MethodBehaviour {
  /** `unavailable`, as when the provider sheds load. */
  throttle(options?: Times & { readonly retryAfterSeconds?: number }): void;
  /** Fails with any code. */
  fail(code: ProviderErrorCode, options?: Times & { readonly retryAfterSeconds?: number }): void;
  /** The provider refuses our credentials this call. */
  deny(options?: Times): void;
  /** Answers after so many milliseconds of the cloud's `sleep`, with what was true when the call came in. */
  lag(milliseconds: number, options?: Times): void;
  /** Never answers; the caller's signal is the only way out. */
  hang(options?: Times): void;
  /** Back to prompt and truthful answers. Calls that hang go on hanging. */
  restore(): void;
}

/** Waits; rejects when the signal fires first. */
export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

interface Lasting<T> {
  readonly what: T;
  left: number;
}

/** One method's behaviour, with the side that the directory calls. */
export interface GovernedMethod<Query> extends MethodBehaviour {
  answer<T>(query: Query, options: CallOptions | undefined, find: () => T): Promise<T>;
}

export function governMethod<Query>(
  sleep: Sleep,
  admit: (query: Query) => void,
  record: (query: Query) => void,
): GovernedMethod<Query> {
  let failure: Lasting<() => ProviderError> | undefined;
  let delay: Lasting<number> | undefined;
  let hanging: Lasting<true> | undefined;

  const fail: MethodBehaviour['fail'] = (code, { times, retryAfterSeconds } = {}) => {
    const what = (): ProviderError =>
      new ProviderError(
        code,
        `the fake cloud is set to fail`,
        retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
      );
    failure = { what, left: times ?? Number.POSITIVE_INFINITY };
  };

  return {
    throttle: (options) => fail('unavailable', options),
    fail,
    deny: (options) => fail('denied', options),
    lag: (milliseconds, { times } = {}) => {
      delay = { what: milliseconds, left: times ?? Number.POSITIVE_INFINITY };
    },
    hang: ({ times } = {}) => {
      hanging = { what: true, left: times ?? Number.POSITIVE_INFINITY };
    },
    restore: () => {
      failure = undefined;
      delay = undefined;
      hanging = undefined;
    },
    async answer(query, options, find) {
      const signal = options?.signal;
      if (signal?.aborted === true) throw gaveUp(signal);
      admit(query);
      record(query);
      const makeError = take(failure);
      const milliseconds = take(delay);
      const hangs = take(hanging);
      const found = makeError === undefined ? find() : undefined;
      if (hangs === true) await untilAborted(signal);
      if (milliseconds !== undefined) await sleepOrGiveUp(sleep, milliseconds, signal);
      if (makeError !== undefined) throw makeError();
      // Holds: `found` is left undefined only where `makeError` is set, and that has thrown above.
      return found as ReturnType<typeof find>;
    },
  };
}

function take<T>(lasting: Lasting<T> | undefined): T | undefined {
  if (lasting === undefined || lasting.left <= 0) return undefined;
  lasting.left--;
  return lasting.what;
}

function gaveUp(signal: AbortSignal): ProviderError {
  return new ProviderError('unavailable', 'the caller gave up waiting', { cause: signal.reason });
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(gaveUp(signal)), { once: true });
  });
}

async function sleepOrGiveUp(sleep: Sleep, milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await Promise.race([sleep(milliseconds, signal), ...(signal === undefined ? [] : [untilAborted(signal)])]);
  } catch (error) {
    throw signal?.aborted === true ? gaveUp(signal) : error;
  }
}

/** Who may be asked about: the cloud's own account and those associated with it (ASSOC-4). */
export function accountRule(isKnown: (accountId: string) => boolean): (query: { readonly accountId: string }) => void {
  return ({ accountId }) => {
    if (!isKnown(accountId)) {
      throw new ProviderError('account_not_allowed', 'the account is neither our own nor associated');
    }
  };
}
