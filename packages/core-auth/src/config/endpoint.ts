/** Which endpoints an operator may point the method at (CONFIG-3, THREAT-19, THREAT-27). */

const MAX_ENDPOINT_CHARACTERS = 2048;

/**
 * Printable ASCII without what would make user info, query or fragment, and without the backslash, which URL readers
 * take for a slash: what is left means the same to every reader.
 */
const PLAIN = /^https?:\/\/[!-~]+$/i;
const FORBIDDEN = /[\\?#@]/;

/** `https`, or `http` to a loopback address; no user info, query or fragment. */
export function isEndpoint(text: string): boolean {
  if (text.length > MAX_ENDPOINT_CHARACTERS || !PLAIN.test(text) || FORBIDDEN.test(text)) return false;
  const url = parseUrl(text);
  if (url === undefined || url.hostname === '') return false;
  return url.protocol === 'https:' || isLoopback(url.hostname);
}

/** Of a parsed URL: numeric forms of IPv4 are dotted by now, IPv6 is in brackets and compressed. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
