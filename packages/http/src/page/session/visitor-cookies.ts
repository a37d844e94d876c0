/** The two cookies of the page, and how browsers are told to treat them. */
import type { Context } from 'hono';
import { generateCookie, getCookie } from 'hono/cookie';

const SESSION = 'postern-session';
const DONE = 'postern-done';

/** Whoever was led away for longer learns it from the page itself. */
const DONE_SECONDS = 60;

/** Browsers keep 4,096 bytes of name, value and attributes. */
export const MAX_SESSION_CHARACTERS = 3800;

/** With TLS the name's prefix has browsers refuse one that another host or a plain connection set. */
const isSecure = (origin: string) => origin.startsWith('https:');

export function sessionCookie(http: Context, origin: string): string | undefined {
  return isSecure(origin) ? getCookie(http, SESSION, 'host') : getCookie(http, SESSION);
}

/** A `Set-Cookie` without an age: the browser forgets it when it is closed. Its end is sealed within. */
export function sessionToKeep(origin: string, sealed: string): string {
  const attributes = { path: '/', httpOnly: true, sameSite: 'Strict' } as const;
  return isSecure(origin)
    ? generateCookie(SESSION, sealed, { ...attributes, secure: true, prefix: 'host' })
    : generateCookie(SESSION, sealed, attributes);
}

export function sessionToForget(origin: string): string {
  return `${sessionToKeep(origin, '')}; Max-Age=0`;
}

/** What a form has done, for the one page that is opened after it: a word of ours, never a text to show. */
export function doneToKeep(origin: string, path: string, word: string, maxAge = DONE_SECONDS): string {
  return generateCookie(DONE, word, { path, httpOnly: true, sameSite: 'Strict', secure: isSecure(origin), maxAge });
}

/** Told once. */
export function doneToForget(origin: string, path: string): string {
  return doneToKeep(origin, path, '', 0);
}

export function doneCookie(http: Context): string | undefined {
  return getCookie(http, DONE);
}
