/** Names in paths (WIRE-7, ROLE-2): which texts are names, and when two role names are one. */
import { lowerAscii } from '@postern/kernel';
import { AuthError } from '../errors.js';
import { MAX_NAME_CHARACTERS } from './limits.js';

/** Without flags `\w` is ASCII letters, digits and underscore. */
const NAME = /^\w(?:[\w.-]*\w)?$/;

/** Whether a text may stand in a path: a word character, or a longer text of those, `.` and `-` that begins and ends with one. */
export function isName(text: string): boolean {
  return text.length <= MAX_NAME_CHARACTERS && NAME.test(text);
}

/** ASCII letters only: the Kelvin sign, dotless i and long s must not become letters of somebody else's role (THREAT-29). */
export function foldRoleName(name: string): string {
  return lowerAscii(name);
}

/**
 * A path parameter that must be a name, as it was given.
 *
 * @throws AuthError `not_found` for any other text, like any unknown path (WIRE-7, ROLE-2).
 */
export function requireName(params: Readonly<Record<string, string>>, parameter: string): string {
  const name = Object.hasOwn(params, parameter) ? params[parameter] : undefined;
  if (name === undefined || !isName(name)) throw new AuthError('not_found', 'there is nothing at this path');
  return name;
}

/** `requireName` for role names: folded. @throws AuthError `not_found` */
export function requireRoleName(params: Readonly<Record<string, string>>, parameter = 'role'): string {
  return foldRoleName(requireName(params, parameter));
}
