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
