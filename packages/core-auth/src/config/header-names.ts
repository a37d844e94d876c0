/** Names of headers that an operator allows in signed requests (CONFIG-4). */

/** RFC 9110 `token`. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;

export function isHeaderName(name: string): boolean {
  return TOKEN.test(name);
}

/** `x-amz-foo` → `X-Amz-Foo`: first letter and each after a dash in upper case, the others in lower case. */
export function canonicalHeaderName(name: string): string {
  const pieces = name.split('-').map((piece) => piece.slice(0, 1).toUpperCase() + piece.slice(1).toLowerCase());
  return pieces.join('-');
}

/** Canonical names without duplicates; the stored list, in its order, where both are the same set. */
export function mergeHeaderNames(stored: readonly string[], sent: readonly string[]): readonly string[] {
  const names = new Set(sent.map(canonicalHeaderName));
  const isSame = names.size === new Set(stored).size && stored.every((name) => names.has(name));
  return isSame ? stored : [...names];
}
