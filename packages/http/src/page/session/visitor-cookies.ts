/** The two cookies of the page and their attributes. */
import { parse, serialize } from 'hono/utils/cookie';

const SESSION = 'postern-session';
const DONE = 'postern-done';

/** Later the page itself shows the new state. */
const DONE_SECONDS = 60;

/** Browsers keep 4,096 bytes of name, value and attributes. */
export const MAX_SESSION_CHARACTERS = 3800;

const isSecure = (origin: string) => origin.startsWith('https:');

/** With TLS the prefix makes browsers reject one that another host or a plain connection set (RFC 6265bis, 4.1.3.2). */
const sessionName = (origin: string) => (isSecure(origin) ? `__Host-${SESSION}` : SESSION);

export function sessionCookie(request: Request, origin: string): string | undefined {
  return cookieOf(request, sessionName(origin));
}

/** A `Set-Cookie` without an age: the browser forgets it when it is closed. Its end is sealed within. */
export function sessionToKeep(origin: string, sealed: string): string {
  const attributes = { path: '/', httpOnly: true, sameSite: 'Strict', secure: isSecure(origin) } as const;
  return serialize(sessionName(origin), sealed, attributes);
}

export function sessionToForget(origin: string): string {
  return `${sessionToKeep(origin, '')}; Max-Age=0`;
}

/** What a form has done, for the one page that is opened after it: a fixed keyword, never a text to show. */
export function doneToKeep(origin: string, path: string, word: string, maxAge = DONE_SECONDS): string {
  return serialize(DONE, word, { path, httpOnly: true, sameSite: 'Strict', secure: isSecure(origin), maxAge });
}

/** Told once. */
export function doneToForget(origin: string, path: string): string {
  return doneToKeep(origin, path, '', 0);
}

export function doneCookie(request: Request): string | undefined {
  return cookieOf(request, DONE);
}

function cookieOf(request: Request, name: string): string | undefined {
  return parse(request.headers.get('cookie') ?? '', name)[name];
}
