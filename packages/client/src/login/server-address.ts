/** Validates the server's address, so that tokens and proofs do not leak. */

export interface AddressOptions {
  readonly url: string;
  readonly allowPlainHttp?: boolean;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Plain `http` would expose tokens and proofs: it is allowed for loopback addresses, and elsewhere with `allowPlainHttp`.
 *
 * @returns the address without a slash at its end
 * @throws TypeError
 */
export function parseServerAddress({ url, allowPlainHttp = false }: AddressOptions): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')) {
    throw new TypeError('url: must be an https URL');
  }
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '' || parsed.hash !== '') {
    throw new TypeError('url: must not have a user, query or fragment');
  }
  if (parsed.protocol === 'http:' && !allowPlainHttp && !LOOPBACK.test(parsed.hostname)) {
    throw new TypeError('url: refusing to send tokens over plain HTTP; use https, or set allowPlainHttp');
  }
  return parsed.href.replace(/\/+$/, '');
}

/** @returns `auth/cloud` of `/auth/cloud/`. @param option for the error. @throws TypeError */
export function parsePath(text: string, option: string): string {
  const path = text.replaceAll(/^\/+|\/+$/g, '');
  const sound = path.split('/').every((segment) => /^[\w.~-]+$/.test(segment) && !/^\.{1,2}$/.test(segment));
  if (!sound) throw new TypeError(`${option}: must be a path such as auth/cloud`);
  return path;
}
