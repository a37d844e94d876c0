/** Strong entity tags, and whether a client has the answer already (RFC 9110, 8.8.3 and 13.1.2). */

/** Of the SHA-256 of the bytes, with its quotes. */
export async function strongEtag(body: string | Uint8Array): Promise<string> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : Uint8Array.from(body);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `"${toBase64Url(digest)}"`;
}

/** @param header `If-None-Match` as it was sent. Compared weakly, as that header asks. */
export function matchesEtag(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}

export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
