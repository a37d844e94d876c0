/**
 * Forms are accepted from this registry's own pages only. Three locks, each enough by itself: the session's cookie is
 * `SameSite=Strict`, the browser names the origin of the page, and the form holds the session's secret.
 */

/**
 * Whether a form comes from a page of this origin. Browsers name it with every POST; what names none is no browser, and
 * has no business with forms: programs use the API.
 */
export function isOwnForm(headers: Headers, origin: string): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') return false;
  return headers.get('origin') === origin;
}

/** Whether two secrets are the same. Takes time by the length of `expected` only. */
export function sameSecret(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let at = 0; at < expected.length; at += 1) difference |= given.charCodeAt(at) ^ expected.charCodeAt(at);
  return difference === 0;
}

/** Where to go after signing in: a page of this registry and nothing else, or the sign-in form would be an open redirect. */
const MAX_CHARACTERS = 2000;
/** No backslash, no second slash at the start: browsers read `/\host` and `//host` as another site. */
const LOCAL = /^\/(?![/\\])[\w\-.~%+/?=&!*'()@:$,;]*$/;

/** @param path where the page hangs. Returned where `wanted` is not one of its pages. */
export function returnPath(wanted: string, path: string): string {
  if (wanted.length > MAX_CHARACTERS || !LOCAL.test(wanted)) return path;
  const [location = ''] = wanted.split('?');
  const isPage = location === path || (location.startsWith(`${path}/`) && !location.startsWith(`${path}/-/`));
  // Browsers resolve these before they ask, so what was looked at would not be what is opened.
  const walks = location.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
  return isPage && !walks ? wanted : path;
}
