/** The path of a request as it was sent, and its segments with percent escapes resolved exactly once. */

/** The raw path of an absolute URL: between authority and `?` or `#`, escapes as they are. */
export function rawPath(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  if (start < 0) return '/';
  for (let at = start; at < url.length; at += 1) {
    const unit = url.charCodeAt(at);
    if (unit === 0x3f || unit === 0x23) return url.slice(start, at);
  }
  return url.slice(start);
}

/** The query text of an absolute URL, without its `?`; empty where there is none. */
export function rawQuery(url: string): string {
  const start = url.indexOf('?');
  if (start < 0) return '';
  const end = url.indexOf('#', start);
  return end < 0 ? url.slice(start + 1) : url.slice(start + 1, end);
}

/**
 * Splits on `/` first and decodes each piece after, so that an escaped slash never makes a segment.
 *
 * @returns undefined for a malformed escape or one that is not UTF-8.
 */
export function decodeSegments(path: string): string[] | undefined {
  const segments = path.split('/');
  if (!path.includes('%')) return segments;
  try {
    return segments.map((segment) => decodeURIComponent(segment));
  } catch {
    return undefined;
  }
}
