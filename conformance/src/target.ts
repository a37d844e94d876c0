/** The server under test: how a request reaches it, and the operator's tokens. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, type Json, type JsonObject } from './json.js';
import { type Profile, wireMembers } from './profile.js';

/** `fetch`, or the door of an application in this process. */
export type Transport = (request: Request) => Promise<Response>;

export interface Target {
  readonly url: string;
  readonly profile: Profile;
  /** Where the auth method is mounted below `/v1/`. */
  readonly mount: string;
  readonly token: string;
  readonly registryToken: string;
  readonly transport: Transport;
}

/** A server may back off after the simulated cloud throttled it in another case: what it refuses meanwhile is sent again. */
export function patientWith(target: Target): Target {
  return {
    ...target,
    async transport(request) {
      for (let left = 4; ; left -= 1) {
        const response = await target.transport(request.clone());
        const waitSeconds = Number(response.headers.get('retry-after') ?? Number.NaN);
        if (response.status !== 503 || !(waitSeconds <= MAX_WAIT_SECONDS) || left === 0) return response;
        await sleep(waitSeconds * 1_000);
      }
    },
  };
}

const MAX_WAIT_SECONDS = 5;

export interface Sent {
  readonly headers?: JsonObject;
  readonly body?: Json;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  /** Default: the operator's, and none for a login; `null` for none. */
  readonly token?: string | null;
}

export interface Answer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  /** Parsed where it is JSON; undefined where nothing came. */
  readonly body: unknown;
}

/** @param line method and path, separated by a space; a path without a leading slash is below the mount. */
export async function send(target: Target, line: string, sent: Sent = {}): Promise<Answer> {
  const [method = '', ...rest] = line.split(' ');
  const given = rest.join(' ');
  const path = given.startsWith('/') ? given : `/v1/${target.mount}/${given}`;
  const isAuth = path.startsWith('/v1/');
  const headers = new Headers();
  const content = contentOf(target, method, path, sent);
  if (content !== undefined) headers.set('content-type', content.type);
  const token = sent.token === undefined ? operatorToken(target, given, isAuth) : sent.token;
  if (token !== null)
    headers.set(isAuth ? target.profile.tokenHeader : 'Authorization', isAuth ? token : `Bearer ${token}`);
  for (const [name, value] of Object.entries(sent.headers ?? {})) {
    if (value === null) headers.delete(name);
    else headers.set(name, String(value));
  }
  const response = await target.transport(
    new Request(target.url + path, {
      method,
      headers,
      redirect: 'manual',
      ...(content === undefined ? {} : { body: content.body }),
    }),
  );
  const text = await response.text();
  return { method, path, status: response.status, headers: response.headers, body: parsed(text) };
}

/** An answer in one line, for the message of a failed case. */
export function describeAnswer({ method, path, status, body }: Answer): string {
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  return `${method} ${path} answered ${status} ${text.slice(0, 400)}`;
}

function operatorToken(target: Target, path: string, isAuth: boolean): string | null {
  if (path === 'login') return null;
  return isAuth ? target.token : target.registryToken;
}

function contentOf(
  { profile }: Target,
  method: string,
  path: string,
  { body, text, bytes }: Sent,
): { readonly type: string; readonly body: BodyInit } | undefined {
  // These bytes never lie in shared memory, which the wider type allows.
  if (bytes !== undefined) return { type: 'application/gzip', body: bytes as BodyInit };
  const type = path.startsWith('/api/v2/') && method !== 'PUT' ? 'application/vnd.api+json' : 'application/json';
  if (text !== undefined) return { type, body: text };
  if (body === undefined) return undefined;
  return { type, body: JSON.stringify(path.startsWith('/v1/') ? wireMembers(profile, body) : body) };
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The `code` of a refusal, or the name of none. */
export function codeOf({ body }: Answer): string | undefined {
  const code = isObject(body) ? body['code'] : undefined;
  return typeof code === 'string' ? code : undefined;
}
