/**
 * A strict cursor over BER: what `cms-*` reads through (DOC-8, THREAT-6). Lengths are minimal and inside their
 * parent, tags are one octet, indefinite lengths are accepted only where the caller says so. It hands out views of the
 * input, never copies, and has no recursion: one number a level, `MAX_DEPTH` levels.
 */

import type { EpochMillis } from '@postern/ports';
import { unverified } from '../../errors.js';
import { MAX_DEPTH, MAX_LENGTH_OCTETS } from './cms-limits.js';

/** Identifier octets that CMS uses. */
export const TAG = {
  integer: 0x02,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  constructedOctetString: 0x24,
  sequence: 0x30,
  set: 0x31,
  primitive0: 0x80,
  context0: 0xa0,
  context1: 0xa1,
} as const;

const INDEFINITE = -1;
const CONSTRUCTED = 0x20;
/** Identifier octets below are of universal types. */
const APPLICATION = 0x40;
/** Low bits all set: the tag number follows in further octets. CMS has none. */
const LONG_TAG = 0x1f;

/** Every method throws `evidence_unverified` with a reason `ber_…` when the next bytes are not what it asks for. */
export class DerCursor {
  readonly #bytes: Uint8Array;
  /** Ends of the elements around the current one; the end of an indefinite one as -1 - end. Numbers, to spare objects. */
  readonly #outer: number[] = [];
  /** Where the current element must end; of an indefinite one, where its parent does. */
  #end: number;
  #indefinite = false;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#end = bytes.length;
  }

  /** Octets read so far. */
  get position(): number {
    return this.#position;
  }

  /** How many elements have been entered and not left. */
  get depth(): number {
    return this.#outer.length;
  }

  /** Identifier octet of the next element, or -1 at the end of the current one. */
  peek(): number {
    return this.atEnd() ? -1 : (this.#bytes[this.#position] ?? -1);
  }

  /** Whether the current element holds no further one. An unterminated indefinite one is not at its end. */
  atEnd(): boolean {
    if (!this.#indefinite) return this.#position === this.#end;
    return this.#bytes[this.#position] === 0 && this.#bytes[this.#position + 1] === 0;
  }

  /** Goes into a constructed element of definite length. */
  enter(tag: number): void {
    const length = this.#header(tag, false);
    this.#push(this.#position + length, false);
  }

  /** Goes into a constructed element of definite or indefinite length. */
  enterBer(tag: number): void {
    const length = this.#header(tag, true);
    if (length === INDEFINITE) this.#push(this.#end, true);
    else this.#push(this.#position + length, false);
  }

  /** Leaves the current element, which must have been read to its end. */
  leave(): void {
    if (!this.atEnd()) throw unverified(this.#position < this.#end ? 'ber_unexpected_element' : 'ber_truncated');
    if (this.#indefinite) this.#position += 2;
    const outer = this.#outer.pop();
    if (outer === undefined) throw new TypeError('leave without enter');
    this.#indefinite = outer < 0;
    this.#end = this.#indefinite ? -1 - outer : outer;
  }

  /** Content of an element of definite length, as a view. */
  content(tag: number): Uint8Array {
    const length = this.#header(tag, false);
    const start = this.#position;
    this.#position = start + length;
    return this.#bytes.subarray(start, this.#position);
  }

  /** Reads an element of definite length and tells which of the given contents it has: an index, or -1. */
  oneOf(tag: number, contents: readonly Uint8Array[]): number {
    const length = this.#header(tag, false);
    const start = this.#position;
    this.#position += length;
    for (let index = 0; index < contents.length; index += 1) {
      const content = contents[index];
      if (content?.length === length && this.#startsAt(start, content)) return index;
    }
    return -1;
  }

  /** A whole element of definite length, header included, as a view. */
  element(tag: number): Uint8Array {
    const start = this.#position;
    const length = this.#header(tag, false);
    this.#position += length;
    return this.#bytes.subarray(start, this.#position);
  }

  /**
   * Walks the next element to its end and refuses what DER does not allow of headers, however deep: indefinite or padded
   * lengths, constructed strings.
   *
   * @param limit how many elements it may hold, itself included.
   */
  skipDer(limit: number): void {
    const start = this.depth;
    let left = limit;
    do {
      if (this.depth > start && this.atEnd()) {
        this.leave();
        continue;
      }
      left -= 1;
      if (left < 0) throw unverified('ber_too_many_elements');
      const tag = this.peek();
      if (tag < 0) throw unverified('ber_truncated');
      if ((tag & CONSTRUCTED) === 0) this.content(tag);
      else if (tag < APPLICATION && tag !== TAG.sequence && tag !== TAG.set) throw unverified('ber_constructed_string');
      else this.enter(tag);
    } while (this.depth > start);
  }

  #push(end: number, indefinite: boolean): void {
    if (this.#outer.length >= MAX_DEPTH) throw unverified('ber_too_deep');
    this.#outer.push(this.#indefinite ? -1 - this.#end : this.#end);
    this.#end = end;
    this.#indefinite = indefinite;
  }

  #startsAt(start: number, content: Uint8Array): boolean {
    for (let at = 0; at < content.length; at += 1) if (this.#bytes[start + at] !== content[at]) return false;
    return true;
  }

  #octet(): number {
    const octet = this.#position < this.#end ? this.#bytes[this.#position] : undefined;
    if (octet === undefined) throw unverified('ber_truncated');
    this.#position += 1;
    return octet;
  }

  #header(tag: number, indefiniteAllowed: boolean): number {
    if (this.#octet() !== tag) throw unverified('ber_unexpected_tag');
    if ((tag & LONG_TAG) === LONG_TAG) throw unverified('ber_long_tag');
    const length = this.#length(indefiniteAllowed);
    if (length > this.#end - this.#position) throw unverified('ber_length_beyond_data');
    return length;
  }

  #length(indefiniteAllowed: boolean): number {
    const first = this.#octet();
    if (first < 0x80) return first;
    if (first === 0x80) {
      if (!indefiniteAllowed) throw unverified('ber_indefinite_length');
      return INDEFINITE;
    }
    const octets = first & 0x7f;
    if (octets > MAX_LENGTH_OCTETS) throw unverified('ber_length_too_long');
    let length = 0;
    for (let read = 0; read < octets; read += 1) length = length * 256 + this.#octet();
    if (length < 0x80 || length < 256 ** (octets - 1)) throw unverified('ber_length_not_minimal');
    return length;
  }
}

const ZERO = 0x30;
const ZULU = 0x5a;
const MS_PER_DAY = 86_400_000;
const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The instant, or undefined where the content is not a real calendar time in the form that DER requires of it. */
export function decodeDerTime(tag: number, content: Uint8Array): EpochMillis | undefined {
  const yearDigits = tag === TAG.utcTime ? 2 : 4;
  if (content.length !== yearDigits + 11 || content[content.length - 1] !== ZULU) return undefined;
  for (let at = 0; at < content.length - 1; at += 1) {
    const digit = (content[at] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
  }
  const pair = (at: number): number => ((content[at] ?? 0) - ZERO) * 10 + (content[at + 1] ?? 0) - ZERO;
  const year = yearOf(tag, pair(0), pair(2));
  if (year === undefined) return undefined;
  const at = yearDigits;
  return epochMillis(year, pair(at), pair(at + 2), pair(at + 4), pair(at + 6), pair(at + 8));
}

function yearOf(tag: number, first: number, second: number): number | undefined {
  if (tag === TAG.utcTime) return first < 50 ? 2000 + first : 1900 + first;
  const year = first * 100 + second;
  return year >= 2050 ? year : undefined;
}

function epochMillis(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): EpochMillis | undefined {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const daysInMonth = (DAYS_IN_MONTH[month - 1] ?? 0) + (leap && month === 2 ? 1 : 0);
  if (day < 1 || day > daysInMonth || hour > 23 || minute > 59 || second > 59) return undefined;
  const before = year - 1;
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  const daysSinceYearOne = before * 365 + leapDays + (DAYS_BEFORE_MONTH[month - 1] ?? 0) + (leap && month > 2 ? 1 : 0);
  const days = daysSinceYearOne - 719_162 + day - 1;
  return days * MS_PER_DAY + ((hour * 60 + minute) * 60 + second) * 1000;
}
