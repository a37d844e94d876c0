/**
 * What each member of a command's input may be (REG-5, REG-6). Unknown members are ignored; null means not given. Texts are
 * shown to others, in browsers and in terminals that print them raw (CHECK-3): no escape sequences, nothing that reorders
 * or hides what follows it, no link that runs code.
 */
import type { Awaitable } from '@postern/ports';
import * as z from 'zod';
import { isModuleText } from '../addresses/address.js';
import { isRegistryError, RegistryError } from '../errors.js';
import {
  MAX_LINK_CHARACTERS,
  MAX_REASON_CHARACTERS,
  REASON_CLASSES,
  type ReasonClass,
  type Replacement,
} from '../version-status.js';
import { parseConstraint } from '../versions/constraint.js';
import type { InputSource } from './input.js';
import { parseInstant } from './instant.js';

const REASON =
  `a text of at most ${MAX_REASON_CHARACTERS} characters without control characters ` +
  '(newline and tab are allowed) or characters that reorder text';
const LINK =
  `an absolute http or https URL of at most ${MAX_LINK_CHARACTERS} characters, ` +
  'printable ASCII without quotes, angle brackets, braces, backslash, caret, backtick and pipe, without user name or password';
const MODULE = 'a module address: namespace/name/provider, with or without a host before it';
const CONSTRAINT = 'a version constraint such as "~> 1.2" or ">= 1.0, < 2.0"';
const SUNSET = 'a day such as 2027-01-31, or an RFC 3339 instant';
const CLASS = `one of ${REASON_CLASSES.join(', ')}`;
const REPLACEMENT = 'an object with a module, a version or both';

/** @param shown what JSON Schema can say of it, for documents. */
const text = (
  expected: string,
  isGood: (value: string) => boolean,
  shown: { maxLength?: number; format?: string } = {},
  normal: (value: string) => string = (value) => value,
) =>
  z
    .string({ error: expected })
    .overwrite(normal)
    .refine(isGood, { error: expected })
    .meta(shown)
    .nullish()
    .transform((value) => value ?? null);

/** Editors and shells of Windows end lines with CR LF. */
const reason = text(REASON, isReason, { maxLength: MAX_REASON_CHARACTERS }, (value) => value.replaceAll('\r\n', '\n'));
const link = text(LINK, isLink, { maxLength: MAX_LINK_CHARACTERS, format: 'uri' });

const replacement = z
  .object(
    { module: text(MODULE, isModuleText), version: text(CONSTRAINT, (value) => parseConstraint(value) !== undefined) },
    { error: REPLACEMENT },
  )
  .refine((value) => value.module !== null || value.version !== null, { error: REPLACEMENT })
  .nullish()
  .transform((value): Replacement | null => value ?? null);

const sunset = text(SUNSET, (value) => parseInstant(value) !== undefined).transform((value) =>
  value === null ? null : (parseInstant(value) ?? null),
);

const reasonClass = z
  .enum(REASON_CLASSES, { error: CLASS })
  .nullish()
  .transform((value): ReasonClass | null => value ?? null);

const OBJECT = 'an object';

export const revocationInput = z.object({ reason, link }, { error: OBJECT });

const deprecationMembers = { reason, link, reasonClass, replacement, sunset };

/** `sunset` becomes `sunsetAt`: an instant. */
export const deprecationInput = z.object(deprecationMembers, { error: OBJECT }).transform(withInstant);

export const rangeInput = z
  .object(
    {
      ...deprecationMembers,
      range: z
        .string({ error: CONSTRAINT })
        .refine((value) => parseConstraint(value) !== undefined, { error: CONSTRAINT }),
      includePrereleases: z.boolean({ error: 'true or false' }).optional().default(false),
      reinstate: z.boolean({ error: 'true or false' }).optional().default(false),
      dryRun: z.boolean({ error: 'true or false' }),
    },
    { error: OBJECT },
  )
  .transform(withInstant);

function withInstant<T extends { readonly sunset: number | null }>({ sunset: sunsetAt, ...others }: T) {
  return { ...others, sunsetAt };
}

const wholeNumber = (least: number, most: number) => {
  const error = `a whole number from ${least} to ${most}`;
  return z.number({ error }).int({ error }).min(least, { error }).max(most, { error });
};

/** Items of a page. */
const DEFAULT_LIMIT = 20;
const limit = wholeNumber(1, 100).optional().default(DEFAULT_LIMIT);

export const historyQuery = z.object(
  { before: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(), limit },
  { error: OBJECT },
);

/** Pages are walked to: beyond this many modules a search must narrow. */
const MAX_OFFSET = 10_000;

const words = 'at most 256 characters';

export const moduleQuery = z.object(
  {
    namespace: z.string({ error: 'a namespace' }).optional(),
    provider: z.string({ error: 'a provider' }).optional(),
    words: z.string({ error: words }).max(256, { error: words }).optional().default(''),
    offset: wholeNumber(0, MAX_OFFSET).optional().default(0),
    limit,
  },
  { error: OBJECT },
);

/**
 * Control characters (C0, DEL, C1) but newline and tab, line and paragraph separators, embeddings, overrides and isolates
 * of bidirectional text, and halves of surrogate pairs.
 */
const UNSHOWABLE = /[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;

/** Characters count as code points. */
function isReason(text: string): boolean {
  // A code point has two units at most: a megabyte is refused before it is looked at.
  if (text.length > MAX_REASON_CHARACTERS * 2) return false;
  return !UNSHOWABLE.test(text) && [...text].length <= MAX_REASON_CHARACTERS;
}

/**
 * Printable ASCII without quotes, angle brackets and backslash (which URL readers take for a slash): what is left means
 * the same to every reader, and cannot leave an attribute or a Markdown link. Other characters are percent-encoded.
 */
const PLAIN_LINK = /^https?:\/\/[!-~]+$/i;
const FORBIDDEN_IN_LINK = /["<>\\^`{|}]/;
/** User info, empty or not: `https://registry.example@evil.example/` shows one host and opens another. */
const USER_INFO = /^https?:\/\/[^/?#]*@/i;

/** An absolute `http` or `https` URL without user info. */
function isLink(text: string): boolean {
  if (text.length > MAX_LINK_CHARACTERS || !PLAIN_LINK.test(text)) return false;
  if (FORBIDDEN_IN_LINK.test(text) || USER_INFO.test(text)) return false;
  return hasHost(text);
}

/** Not `https:///x`, which readers take for the host `x`; not what cannot be parsed. */
function hasHost(text: string): boolean {
  if (/^https?:\/\/[/?#]/i.test(text)) return false;
  try {
    return new URL(text).hostname !== '';
  } catch {
    return false;
  }
}

/** @throws RegistryError `input_invalid`, with what the reader threw as its cause. */
export async function readInput<T extends object>(source: InputSource<T>): Promise<T> {
  if (!isReader(source)) return source;
  try {
    return await source();
  } catch (cause) {
    throw isRegistryError(cause) ? cause : new RegistryError('input_invalid', 'the input could not be read', { cause });
  }
}

/** Inputs are records and lists: a function is always the reader. */
function isReader<T extends object>(source: InputSource<T>): source is () => Awaitable<T> {
  return typeof source === 'function';
}

/**
 * Checks input against its schema. The first invalid member is named by its JSON pointer (REGAPI-6).
 *
 * @throws RegistryError `input_invalid` with pointer (RFC 6901) and what is expected there; never with what was sent.
 */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const pointer = (issue?.path ?? []).map((part) => `/${escapeToken(String(part))}`).join('');
  throw invalidInput(pointer, issue?.message ?? 'another value');
}

export function invalidInput(pointer: string, expected: string): RegistryError {
  const subject = pointer === '' ? 'the input' : pointer.slice(1).replaceAll('/', '.');
  return new RegistryError('input_invalid', `${subject}: must be ${expected}`, { pointer, details: { expected } });
}

function escapeToken(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}
