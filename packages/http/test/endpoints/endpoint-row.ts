/** What a row of the endpoint table is to a test: how it is asked, what it answers, how it refuses (WIRE-1, WIRE-8). */
import { expect } from 'vitest';
import type { Answer, HttpSite, SiteOptions } from '../http-site.js';

/** What a case sends, by the names of the specification. */
export interface Asked {
  /** By the names of the path's parameters. */
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: object | string | undefined;
}

export interface EndpointCase {
  readonly name: string;
  readonly site?: SiteOptions;
  /** Makes what has to be there before, and says what is sent. */
  readonly given?: (site: HttpSite) => Promise<Asked> | Asked;
  readonly status: number;
  /** Of a success: members of the envelope. Nothing of it: an empty body. */
  readonly envelope?: { readonly data?: object; readonly auth?: object; readonly warnings?: unknown };
  /** Of a refusal; none where nothing is said but that nothing is there. */
  readonly code?: string;
  readonly retryAfter?: string;
  /** What the call did, seen through other endpoints. */
  readonly effect?: (site: HttpSite, answer: Answer) => Promise<void>;
}

export interface EndpointRow {
  readonly verb: 'POST' | 'GET' | 'LIST' | 'DELETE';
  /** As the endpoint table of docs/spec writes it. */
  readonly path: string;
  readonly successes: readonly EndpointCase[];
  readonly refusals: readonly EndpointCase[];
}

/** Current and deprecated path and `LIST /role` (WIRE-8). */
export const DEPRECATED: readonly (readonly [current: string, deprecated: string])[] = [
  ['/roletag-denylist', '/roletag-blacklist'],
  ['/identity-accesslist', '/identity-whitelist'],
  ['/tidy/identity-accesslist', '/tidy/identity-whitelist'],
  ['/tidy/roletag-denylist', '/tidy/roletag-blacklist'],
  ['/config/tidy/identity-accesslist', '/config/tidy/identity-whitelist'],
  ['/config/tidy/roletag-denylist', '/config/tidy/roletag-blacklist'],
];

/** Every path that a row answers to, its own first. */
export function spellingsOf({ path }: Pick<EndpointRow, 'path'>): readonly string[] {
  const deprecated = DEPRECATED.flatMap(([current, old]) =>
    path === current || path.startsWith(`${current}/`) ? [old + path.slice(current.length)] : [],
  );
  return [path, ...deprecated, ...(path === '/roles' ? ['/role'] : [])];
}

/** POST and PUT are the same, LIST is also a query (WIRE-6). */
export function verbsOf({ verb }: Pick<EndpointRow, 'verb'>): readonly [verb: string, query: string][] {
  if (verb === 'POST')
    return [
      ['POST', ''],
      ['PUT', ''],
    ]; // prettier-ignore
  if (verb === 'LIST')
    return [
      ['LIST', ''],
      ['GET', '?list=true'],
    ]; // prettier-ignore
  return [[verb, '']];
}

export function fillIn(path: string, params: Asked['params'] = {}): string {
  return path.replaceAll(/:(\w+)/g, (_all, name: string) => params[name] ?? `no-${name.replaceAll('_', '-')}`);
}

/** The whole body that a case is answered with. */
export function bodyOf(site: HttpSite, { status, envelope, code }: EndpointCase): unknown {
  if (status >= 400) {
    if (code === undefined) return { errors: [] };
    return { errors: [status === 403 ? 'permission denied' : expect.stringMatching(/\S/)], code };
  }
  if (envelope === undefined) return undefined;
  return {
    request_id: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
    lease_id: '',
    renewable: false,
    lease_duration: 0,
    data: envelope.data === undefined ? null : site.named(envelope.data),
    wrap_info: null,
    warnings: envelope.warnings ?? null,
    auth: envelope.auth ?? null,
  };
}

/** What an operator has to have done before. @throws Error when it is refused: the test would prove nothing. */
export async function done(answer: Promise<Answer>): Promise<Answer> {
  const given = await answer;
  if (given.status >= 300) throw new Error(`refused: ${given.status} ${JSON.stringify(given.body)}`);
  return given;
}

/** A text in an envelope, such as the token of a login. @throws TypeError if it is absent. */
export function textIn({ body }: Answer, part: 'data' | 'auth', name: string): string {
  const members: unknown = body?.[part];
  const value: unknown = typeof members === 'object' && members !== null ? Reflect.get(members, name) : undefined;
  if (typeof value !== 'string') throw new TypeError(`the answer holds no text ${part}.${name}`);
  return value;
}
