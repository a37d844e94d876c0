/** A part of an archive (MODULE-12; RFC 9110, 14): what is asked for, and those bytes of the whole. */

/** First and last byte. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The range that a request asks for. Undefined: the whole, where nothing is asked for, where what is asked for is not a single range of
 * bytes, and where `If-Range` names other bytes. `unsatisfiable`: nothing of these bytes.
 *
 * @param etag of the bytes, strong, with its quotes.
 */
export function askedRange(headers: Headers, etag: string, sizeBytes: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(headers.get('range') ?? '');
  if (match === null) return undefined;
  // A date says nothing of bytes that have none.
  const condition = headers.get('if-range');
  if (condition !== null && condition !== etag) return undefined;
  const [, from = '', to = ''] = match;
  if (from === '') {
    if (to === '') return undefined;
    const count = Math.min(Number(to), sizeBytes);
    return count === 0 ? 'unsatisfiable' : { first: sizeBytes - count, last: sizeBytes - 1 };
  }
  const first = Number(from);
  if (to !== '' && Number(to) < first) return undefined;
  if (first >= sizeBytes) return 'unsatisfiable';
  return { first, last: Math.min(to === '' ? sizeBytes - 1 : Number(to), sizeBytes - 1) };
}

/**
 * The bytes of a range. The content is read to its end, and the last piece is kept back until then: it throws there where its digest is
 * not as it was, and a part must not be believed sooner than the whole.
 */
export async function* rangeOf(
  content: AsyncIterable<Uint8Array>,
  { first, last }: ByteRange,
): AsyncGenerator<Uint8Array, void, undefined> {
  let at = 0;
  let kept: Uint8Array | undefined;
  for await (const chunk of content) {
    const piece = chunk.subarray(Math.max(0, first - at), Math.max(0, last + 1 - at));
    at += chunk.length;
    if (piece.length === 0) continue;
    if (kept !== undefined) yield kept;
    kept = piece;
  }
  if (kept !== undefined) yield kept;
}
