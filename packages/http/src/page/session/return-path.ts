/** Where to go after signing in: a page of this registry and nothing else, or the sign-in form would be an open redirect. */

const MAX_CHARACTERS = 2000;
/** No backslash, no second slash at the start: browsers read `/\host` and `//host` as another site. */
const LOCAL = /^\/(?![/\\])[\w\-.~%+/?=&!*'()@:$,;]*$/;

/** @param path where the page hangs. Its start where `wanted` is no page of it. */
export function returnPath(wanted: string, path: string): string {
  if (wanted.length > MAX_CHARACTERS || !LOCAL.test(wanted)) return path;
  const [location = ''] = wanted.split('?');
  const isPage = location === path || (location.startsWith(`${path}/`) && !location.startsWith(`${path}/-/`));
  // Browsers resolve these before they ask, so what was looked at would not be what is opened.
  const walks = location.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
  return isPage && !walks ? wanted : path;
}
