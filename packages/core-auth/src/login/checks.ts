/**
 * The named checks of a login (EXPLAIN-1). Each flow walks one list of them: under a login the first that fails ends it with
 * its refusal; an explanation collects them all, in their order.
 */
import { AuthError, isAuthError } from '../errors.js';

export interface Checks<Name extends string> {
  /** @param detail for the operator who asks for an explanation: it says more than a login may (ERROR-3). */
  judge(check: Name, met: boolean, refusal: () => AuthError, detail?: () => string): void;
  /** There is nothing to judge, and why. */
  skip(check: Name, why: string): void;
  /**
   * Passes where `ask` answers, fails with its refusal. What could not be found out is thrown on: an explanation that guesses
   * would mislead.
   *
   * @param whyNot more detail of a refusal, where there is any.
   * @returns undefined where it failed; never under a login.
   */
  attempt<T>(
    check: Name,
    ask: () => Promise<T>,
    detail?: (value: T) => string | undefined,
    whyNot?: (refusal: AuthError) => string | undefined,
  ): Promise<T | undefined>;
  /** A check failed without which the ones that follow cannot be judged; never called under a login, which has ended by then. */
  end(): never;
}

/** Of a login: the first check that fails ends it. */
export const stopAtFirstFailure: Checks<string> = {
  judge(_check, met, refusal) {
    if (!met) throw refusal();
  },
  skip: () => undefined,
  attempt: (_check, ask) => ask(),
  end() {
    throw new AuthError('internal', 'a login went on after a failed check');
  },
};

export interface CheckResult {
  readonly check: string;
  /** `null`: not reached, or not asked for. */
  readonly passed: boolean | null;
  /** Of a check that failed: the code of the login's refusal. */
  readonly code?: string;
  readonly detail?: string;
}

class EndOfChecks extends Error {}

/**
 * Of an explanation: every check of `names` once, in their order.
 *
 * @throws what `walk` throws: AuthError of kind `unavailable` where provider or storage could not be asked.
 */
export async function collectChecks<Name extends string>(
  names: readonly Name[],
  walk: (checks: Checks<Name>) => Promise<void>,
): Promise<readonly CheckResult[]> {
  const judged = new Map<Name, CheckResult>();
  const set = (check: Name, passed: boolean | null, code?: string, detail?: string): void => {
    judged.set(check, {
      check,
      passed,
      ...(code === undefined ? {} : { code }),
      ...(detail === undefined ? {} : { detail }),
    });
  };
  const checks: Checks<Name> = {
    judge: (check, met, refusal, detail) => set(check, met, met ? undefined : refusal().code, detail?.()),
    skip: (check, why) => set(check, null, undefined, why),
    async attempt(check, ask, detail, whyNot) {
      try {
        const value = await ask();
        set(check, true, undefined, detail?.(value));
        return value;
      } catch (error) {
        if (!isAuthError(error) || error.kind === 'unavailable' || error.kind === 'internal') throw error;
        set(check, false, error.code, whyNot?.(error) ?? error.reason ?? error.message);
        return undefined;
      }
    },
    end() {
      throw new EndOfChecks();
    },
  };
  try {
    await walk(checks);
  } catch (error) {
    if (!(error instanceof EndOfChecks)) throw error;
  }
  return names.map((check) => judged.get(check) ?? { check, passed: null });
}

/** `expected a or b; found c` */
export function comparison(expected: readonly string[], actual: string | undefined): string {
  return `expected ${expected.join(' or ')}; found ${actual === undefined || actual === '' ? 'nothing' : actual}`;
}
