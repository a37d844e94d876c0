/**
 * Writes ASN.1 as bytes: DER, and the indefinite lengths of BER that real identity documents carry (X.690 8.1.3, 8.14).
 * It writes its input, valid or not, so that tests can make hostile values.
 */

const EOC = Uint8Array.of(0, 0);

/** Tags that the fake cloud writes. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  printableString: 0x13,
  utcTime: 0x17,
  generalizedTime: 0x18,
  octetStringConstructed: 0x24,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Joins byte strings. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** A value of definite length in the shortest form of it. */
export function tlv(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const content = concatBytes(contents);
  const head = content.length < 0x80 ? [content.length] : longLength(content.length);
  return concatBytes([Uint8Array.of(tag, ...head), content]);
}

/** A constructed value of indefinite length: BER only. */
export function indefinite(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  return concatBytes([Uint8Array.of(tag, 0x80), ...contents, EOC]);
}

function longLength(length: number): number[] {
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

export function sequence(...items: readonly Uint8Array[]): Uint8Array {
  return tlv(TAG.sequence, ...items);
}

/** A SET in the order given; see `sortedForDer` for the order that DER wants. */
export function set(...items: readonly Uint8Array[]): Uint8Array {
  return tlv(TAG.set, ...items);
}

/** Items of a SET OF in the order of DER: ascending by their encodings. */
export function sortedForDer(items: readonly Uint8Array[]): Uint8Array[] {
  return [...items].sort(compareBytes);
}

function compareBytes(left: Uint8Array, right: Uint8Array): number {
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** `[number]`, constructed. */
export function context(number: number, ...contents: readonly Uint8Array[]): Uint8Array {
  return tlv(0xa0 | number, ...contents);
}

/** A non-negative INTEGER from big-endian bytes. */
export function integer(value: number | Uint8Array): Uint8Array {
  const bytes = typeof value === 'number' ? Uint8Array.of(value) : value;
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const magnitude = bytes.subarray(start);
  const needsSign = (magnitude[0] ?? 0) >= 0x80;
  return tlv(TAG.integer, needsSign ? Uint8Array.of(0) : new Uint8Array(0), magnitude);
}

/** An OBJECT IDENTIFIER from its dotted text. */
export function oid(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tlv(TAG.oid, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)));
}

function base128(arc: number): number[] {
  const bytes = [arc % 128];
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift(0x80 | (rest % 128));
  return bytes;
}

export function nullValue(): Uint8Array {
  return tlv(TAG.null);
}

export function octetString(content: Uint8Array): Uint8Array {
  return tlv(TAG.octetString, content);
}

/** A BIT STRING of whole bytes. */
export function bitString(content: Uint8Array): Uint8Array {
  return tlv(TAG.bitString, Uint8Array.of(0), content);
}

export function printableString(text: string): Uint8Array {
  return tlv(TAG.printableString, new TextEncoder().encode(text));
}

/** UTCTime for 1950 to 2049, GeneralizedTime elsewhere (RFC 5652 11.3, RFC 5280 4.1.2.5). Whole seconds. */
export function time(epochMillis: number): Uint8Array {
  const compact = `${new Date(epochMillis).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`;
  const year = Number(compact.slice(0, 4));
  const isUtcTime = year >= 1950 && year < 2050;
  const text = isUtcTime ? compact.slice(2) : compact;
  return tlv(isUtcTime ? TAG.utcTime : TAG.generalizedTime, new TextEncoder().encode(text));
}
