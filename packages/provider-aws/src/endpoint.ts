/**
 * Endpoints that requests may be sent to (CONFIG-3, THREAT-27). Core refuses others at write; this is the last look
 * before a connection, regardless of who wrote the configuration.
 */
import { ProviderError } from '@postern/ports';

const FORBIDDEN = /[\\?#@\s]/;

/**
 * @param what names the setting in the error
 * @throws ProviderError `misconfigured` unless it is `https`, or `http` to a loopback address, without user info, query or
 *   fragment.
 */
export function parseEndpoint(text: string, what: string): URL {
  const url = FORBIDDEN.test(text) ? undefined : parseUrl(text);
  const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (url === undefined || !isAllowed) {
    throw new ProviderError('misconfigured', `${what} is not https, nor http to a loopback address`);
  }
  return url;
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
