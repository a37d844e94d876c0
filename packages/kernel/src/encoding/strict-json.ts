/**
 * JSON whose meaning no two readers can disagree on (WIRE-20, DOC-10, THREAT-12): the exact grammar, a bound on
 * nesting and on members, and on request no duplicate and no forbidden keys, at any level and however they are escaped.
 *
 * One linear scan for nesting and members, before any parser follows it; `JSON.parse` for grammar and value; then a walk of the value.
 * Each key in a text is followed by the one colon outside strings, so a value with fewer keys than its text has colons
 * lost one to a duplicate.
 */

/** `json_syntax`: not JSON. The others: text that the options refuse. */
export type StrictJsonCode =
  | 'json_syntax'
  | 'json_too_deep'
  | 'json_too_many_members'
  | 'json_duplicate_key'
  | 'json_forbidden_key';

export type StrictJsonResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: StrictJsonCode };

export interface StrictJsonOptions {
  /** Objects and arrays inside one another, the outermost included. */
  readonly maxDepth: number;
  /** Names and list items of the whole text; an empty object or list counts as one. Default: no bound. */
  readonly maxMembers?: number;
  readonly refuseDuplicateKeys: boolean;
  /** Keys refused in any object. Default `PROTOTYPE_KEYS`. */
  readonly refuseKeys?: ReadonlySet<string>;
}

/** Keys that reach a prototype when a value is merged or copied by careless code further on. */
export const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor']);

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const FORBIDDEN = -1;
const TOO_DEEP = -2;
const UNTERMINATED = -3;
const TOO_MANY = -4;

/**
 * Parses JSON text. Never throws. Takes time linear in the text; callers bound the text.
 *
 * Objects in the value are those of `JSON.parse`: read them with `Object.hasOwn` or a schema, never by trust in absent
 * names.
 *
 * @example
 * ```ts
 * const parsed = parseStrictJson(text, { maxDepth: 32, refuseDuplicateKeys: true });
 * if (!parsed.ok) throw new AuthError('body_invalid', 'not acceptable JSON', { details: { problem: parsed.code } });
 * ```
 */
export function parseStrictJson(text: string, options: StrictJsonOptions): StrictJsonResult {
  const keysInText = countKeys(text, options.maxDepth, options.maxMembers ?? Number.POSITIVE_INFINITY);
  if (keysInText === TOO_DEEP) return { ok: false, code: 'json_too_deep' };
  if (keysInText === TOO_MANY) return { ok: false, code: 'json_too_many_members' };
  if (keysInText === UNTERMINATED) return { ok: false, code: 'json_syntax' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, code: 'json_syntax' };
  }
  const keysInValue = countOwnKeys(value, options.refuseKeys ?? PROTOTYPE_KEYS);
  if (keysInValue === FORBIDDEN) return { ok: false, code: 'json_forbidden_key' };
  if (options.refuseDuplicateKeys && keysInValue !== keysInText) return { ok: false, code: 'json_duplicate_key' };
  return { ok: true, value };
}

/** Colons outside strings: the number of keys of a text that is JSON. Other text is counted too; `JSON.parse` refuses it. */
function countKeys(text: string, maxDepth: number, maxMembers: number): number {
  let depth = 0;
  let keys = 0;
  // Each object and each list has a first member, and one more for each comma.
  let members = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = closingQuote(text, at + 1);
      if (at < 0) return UNTERMINATED;
    } else if (code === COLON) {
      keys += 1;
    } else if (code === COMMA) {
      members += 1;
      if (members > maxMembers) return TOO_MANY;
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      depth += 1;
      members += 1;
      if (depth > maxDepth) return TOO_DEEP;
      if (members > maxMembers) return TOO_MANY;
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      depth -= 1;
    }
  }
  return keys;
}

/** Index of the quote that ends the string whose content starts at `from`, or -1. Looks at each character at most twice. */
function closingQuote(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (end - backslashes > from && text.charCodeAt(end - backslashes - 1) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return -1;
}

/** Keys of every object in the value, or `FORBIDDEN`. Recursion is bounded: the text of the value passed `maxDepth`. */
function countOwnKeys(value: unknown, refused: ReadonlySet<string>): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) {
      const inside = countOwnKeys(item, refused);
      if (inside === FORBIDDEN) return FORBIDDEN;
      count += inside;
    }
    return count;
  }
  // An object of `JSON.parse` that is not an array: members by name, each unknown.
  const members = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(members)) {
    const inside = refused.has(key) ? FORBIDDEN : countOwnKeys(members[key], refused);
    if (inside === FORBIDDEN) return FORBIDDEN;
    count += 1 + inside;
  }
  return count;
}
