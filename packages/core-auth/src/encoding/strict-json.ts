/**
 * JSON whose meaning no two readers can disagree on (decisions N10 and R15, threat P12): the exact grammar, a bound on
 * nesting, and on request no duplicate and no forbidden keys, at any level and however they are escaped.
 *
 * One linear scan for what `JSON.parse` does not tell, then `JSON.parse` for grammar and value. The scan comes first and
 * keeps its own stack, so that nesting is refused before any parser has followed it.
 */

/** `json_syntax`: not JSON. `json_too_deep`, `json_duplicate_key`, `json_forbidden_key`: JSON that the options refuse. */
export type StrictJsonCode = 'json_syntax' | 'json_too_deep' | 'json_duplicate_key' | 'json_forbidden_key';

export type StrictJsonResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: StrictJsonCode };

export interface StrictJsonOptions {
  /** Objects and arrays inside one another, the outermost included. */
  readonly maxDepth: number;
  readonly refuseDuplicateKeys: boolean;
  /** Keys refused in any object. Default `PROTOTYPE_KEYS`. */
  readonly refuseKeys?: ReadonlySet<string>;
}

/** Keys that reach a prototype when a value is merged or copied by careless code further on. */
export const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor']);

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

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
  const code = scan(text, options);
  if (code !== undefined) return { ok: false, code };
  try {
    const value: unknown = JSON.parse(text);
    return { ok: true, value };
  } catch {
    return { ok: false, code: 'json_syntax' };
  }
}

/** Exact for valid JSON. Other text may pass: `JSON.parse` refuses it. */
function scan(text: string, options: StrictJsonOptions): StrictJsonCode | undefined {
  const refused = options.refuseKeys ?? PROTOTYPE_KEYS;
  /** Keys seen in each open object; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let keys: Set<string> | undefined;
  let keyExpected = false;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = closingQuote(text, at + 1);
        if (end < 0) return 'json_syntax';
        if (keyExpected && keys !== undefined) {
          const key = unescapeKey(text, at, end);
          if (key === undefined) return 'json_syntax';
          if (refused.has(key)) return 'json_forbidden_key';
          if (options.refuseDuplicateKeys && keys.has(key)) return 'json_duplicate_key';
          keys.add(key);
          keyExpected = false;
        }
        at = end;
        break;
      }
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (open.length >= options.maxDepth) return 'json_too_deep';
        keys = text.charCodeAt(at) === OPEN_OBJECT ? new Set() : undefined;
        open.push(keys);
        keyExpected = keys !== undefined;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        open.pop();
        keys = open.at(-1);
        keyExpected = false;
        break;
      case COMMA:
        keyExpected = keys !== undefined;
        break;
      default:
    }
  }
  return undefined;
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

/** The key between the quotes at `start` and `end`, escapes resolved: `"\u0061"` and `"a"` are one key. */
function unescapeKey(text: string, start: number, end: number): string | undefined {
  const raw = text.slice(start + 1, end);
  if (!raw.includes('\\')) return raw;
  try {
    const key: unknown = JSON.parse(text.slice(start, end + 1));
    return typeof key === 'string' ? key : undefined;
  } catch {
    return undefined;
  }
}
