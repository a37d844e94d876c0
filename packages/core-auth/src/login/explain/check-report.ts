/**
 * The answer of an explanation as it grows: every check once, in the order in which a login judges them. A check that
 * nothing could be said of stays `null`: not reached, or not asked for.
 */
import { type AuthError, isAuthError } from '../../errors.js';

export interface Check {
  readonly check: string;
  readonly passed: boolean | null;
  /** Of a check that failed: what the login would be refused with. */
  readonly code?: string;
  readonly detail?: string;
}

export interface CheckReport {
  pass(check: string, detail?: string): void;
  fail(check: string, code: string, detail?: string): void;
  /** Nothing to judge, and why. */
  skip(check: string, detail: string): void;
  /** Passes or fails by `met`. */
  judge(check: string, met: boolean, code: string, detail?: string): void;
  /**
   * Passes where `ask` answers, fails with the code of its refusal. What could not be found out is thrown on: an
   * explanation that guesses would mislead.
   *
   * @param whyNot says more of a refusal than the login does; undefined: there is no more to say.
   * @returns undefined where it failed.
   */
  attempt<T>(
    check: string,
    ask: () => Promise<T>,
    detail?: (value: T) => string | undefined,
    whyNot?: (refusal: AuthError) => string | undefined,
  ): Promise<T | undefined>;
  readonly wouldAllow: () => boolean;
  /** All checks in order. */
  readonly checks: () => readonly Check[];
}

/** @param names of all checks, in order. */
export function createCheckReport(names: readonly string[]): CheckReport {
  const judged = new Map<string, Check>();
  const set = (check: string, passed: boolean | null, code?: string, detail?: string): void => {
    judged.set(check, {
      check,
      passed,
      ...(code === undefined ? {} : { code }),
      ...(detail === undefined ? {} : { detail }),
    });
  };
  const report: CheckReport = {
    pass: (check, detail) => set(check, true, undefined, detail),
    fail: (check, code, detail) => set(check, false, code, detail),
    skip: (check, detail) => set(check, null, undefined, detail),
    judge: (check, met, code, detail) => set(check, met, met ? undefined : code, detail),
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
    wouldAllow: () => [...judged.values()].every(({ passed }) => passed !== false),
    checks: () => names.map((check) => judged.get(check) ?? { check, passed: null }),
  };
  return report;
}

/** `expected a or b, found c` */
export function comparison(expected: readonly string[], actual: string | undefined): string {
  return `expected ${expected.join(' or ')}; found ${actual === undefined || actual === '' ? 'nothing' : actual}`;
}
