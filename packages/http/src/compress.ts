/**
 * gzip of answers (REGAPI-14): of whole bodies from `MIN_BYTES` on, by the platform's own compressor, which runs beside this thread. What
 * a tag names is compressed once; beyond `MAX_AT_ONCE` answers go out plain. Not for requests that another site made a browser send:
 * with what such a site can repeat in an answer, lengths would tell of what else is in it (BREACH).
 */
import { LRUCache } from 'lru-cache';

/** A packet holds less than this anyway. */
const MIN_BYTES = 1024;
const MAX_AT_ONCE = 4;
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/**
 * Compressed bytes; undefined where the answer stays as it is.
 *
 * @param tag names these very bytes, for answers that are the same for many requests.
 */
export type Compress = (body: Uint8Array, tag?: string) => Promise<Uint8Array | undefined>;

export function createCompress(maxKeptBytes = MAX_KEPT_BYTES): Compress {
  const kept = new LRUCache<string, Uint8Array>({
    maxSize: maxKeptBytes,
    sizeCalculation: ({ byteLength }) => byteLength,
  });
  let underWay = 0;
  return async (body, tag) => {
    const known = tag === undefined ? undefined : kept.get(tag);
    if (known !== undefined || underWay >= MAX_AT_ONCE) return known;
    underWay += 1;
    try {
      const bytes = await gzip(body);
      if (tag !== undefined) kept.set(tag, bytes);
      return bytes;
    } finally {
      underWay -= 1;
    }
  };
}

async function gzip(body: Uint8Array): Promise<Uint8Array> {
  const stream = new CompressionStream('gzip');
  const writer = stream.writable.getWriter();
  // The reader below sees what goes wrong here. These bytes are never in shared memory, which the wider type would allow.
  void writer.write(body as Uint8Array<ArrayBuffer>).catch(() => undefined);
  void writer.close().catch(() => undefined);
  return new Uint8Array(await new Response(stream.readable).arrayBuffer());
}

/** Whether an answer of this size is compressed for this request. */
export function wantsGzip(headers: Headers, bytes: number): boolean {
  if (bytes < MIN_BYTES || typeof CompressionStream === 'undefined') return false;
  return headers.get('sec-fetch-site') !== 'cross-site' && acceptsGzip(headers.get('accept-encoding') ?? '');
}

/** RFC 9110, 12.5.3. */
function acceptsGzip(header: string): boolean {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((each) => each.trim());
    const weight = parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1';
    weights.set(coding, Number(weight));
  }
  const weight = weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0;
  return weight > 0 && weight >= (weights.get('identity') ?? 0);
}
