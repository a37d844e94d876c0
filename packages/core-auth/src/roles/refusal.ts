/** The error of the deciders of this folder for an invalid write of a role. */
import type { AuthErrorCode } from '../error-codes.js';

export interface Refusal {
  readonly allow: false;
  readonly code: AuthErrorCode;
  /** For people: says what to change. */
  readonly message: string;
  /** Public facts: the field by its wire name. */
  readonly details: Readonly<Record<string, string>>;
}

export function refuse(code: AuthErrorCode, message: string, details: Readonly<Record<string, string>> = {}): Refusal {
  return { allow: false, code, message, details };
}

/** The first check that refuses, in the order given; later ones are not run. */
export function firstRefusal(checks: readonly (() => Refusal | undefined)[]): Refusal | undefined {
  for (const check of checks) {
    const refusal = check();
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
