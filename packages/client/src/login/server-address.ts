/** Where the server is: an address that cannot leak what is sent to it. */

export interface AddressOptions {
  readonly url: string;
  readonly allowPlainHttp?: boolean;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Tokens and proofs travel in the clear over `http`, so that only the loopback address may have it unless the program says so.
 *
 * @returns the address without a slash at its end
 * @throws TypeError
 */
export function parseServerAddress({ url, allowPlainHttp = false }: AddressOptions): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')) {
    throw new TypeError('url: not an https address');
  }
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '' || parsed.hash !== '') {
    throw new TypeError('url: an address has no user, query or fragment');
  }
  if (parsed.protocol === 'http:' && !allowPlainHttp && !LOOPBACK.test(parsed.hostname)) {
    throw new TypeError('url: http would send tokens in the clear; use https, or say allowPlainHttp');
  }
  return parsed.href.replace(/\/+$/, '');
}

/** @returns `auth/cloud` of `/auth/cloud/`. @throws TypeError */
export function parseMountPath(text: string): string {
  const path = text.replaceAll(/^\/+|\/+$/g, '');
  const sound = path.split('/').every((segment) => /^[\w.~-]+$/.test(segment) && !/^\.{1,2}$/.test(segment));
  if (!sound) throw new TypeError('mountPath: not a path like auth/cloud');
  return path;
}
