/**
 * The registry's page (PAGE-1): server-rendered HTML that needs no script. Routes, who looks at them, and responses with headers
 * under which hostile text stays text, whatever else should fail (PAGE-9).
 */
import { isRegistryError } from '@postern/core-registry';
import { checkOptions, PAGE_SHAPES } from '../check-options.js';
import { createCompress, wantsGzip } from '../compress.js';
import { createRateGate, retryAfterSeconds } from '../rate.js';
import { bearerToken, createApp, type RequestContext } from '../request.js';
import { createRouter } from '../router.js';
import { readForm } from './form-body.js';
import type { Html } from './html.js';
import { createManageHandlers } from './manage/manage-handlers.js';
import type { Exchange, Handler } from './page-context.js';
import type { RegistryPage, RegistryPageOptions } from './page-options.js';
import { createReadHandlers, needsSignIn } from './read-handlers.js';
import { returnPath } from './session/form-guard.js';
import { createSessionSeal, SESSION_KEY_BYTES, type Session } from './session/session-cookie.js';
import { createSignInHandlers, signInPage } from './session/sign-in-handlers.js';
import { sessionCookie, sessionToForget } from './session/visitor-cookies.js';
import { createSite, type Visit } from './views/document.js';
import { type Refusal, type RefusalDetails, refusalPage, refusalStatus } from './views/error-pages.js';
import { ICON, STYLE } from './views/style.js';

const DEFAULT_SESSION_SECONDS = 8 * 60 * 60;

/**
 * Makes the page. It answers `path` and everything below; hand it to `createHttpApp`, or to a server by itself.
 *
 * @throws TypeError where an option is missing or lacks a method, for a session key that is not 32 bytes, an invalid path or public URL.
 * @example
 * ```ts
 * const page = createRegistryPage({ registry, crypto, peerAddress: () => undefined });
 * const response = await page.fetch(new Request('https://registry.acme.example/registry'), undefined);
 * ```
 */
export function createRegistryPage<Info = undefined>(options: RegistryPageOptions<Info>): RegistryPage<Info> {
  checkOptions('createRegistryPage', options, PAGE_SHAPES);
  const { registry, crypto, path = '/registry', title = 'Module registry' } = options;
  const { sessionKey = crypto.bytes(SESSION_KEY_BYTES), sessionSeconds = DEFAULT_SESSION_SECONDS } = options;
  if (sessionKey.length !== SESSION_KEY_BYTES) throw new TypeError(`sessionKey: must be ${SESSION_KEY_BYTES} bytes`);
  if (!/^(?:\/[\w-]+)+$/.test(path)) throw new TypeError('path: must look like /registry');
  const publicUrl = options.publicUrl === undefined ? undefined : new URL(options.publicUrl);
  const clock = options.clock ?? { now: () => Date.now() };
  const rates = createRateGate(clock, options);
  const compress = createCompress();
  const site = createSite(path, title);
  const seal = createSessionSeal({ crypto, clock, key: sessionKey, lifetimeSeconds: sessionSeconds });
  const context = { registry, site, seal };

  async function visitOf({ request, requestId, peerAddress, signal }: RequestContext): Promise<Visit> {
    const { origin, host } = publicUrl ?? new URL(request.url);
    const bearer = bearerToken(request.headers);
    const cookie = bearer === undefined ? sessionCookie(request, origin) : undefined;
    const session: Session | undefined = cookie === undefined ? undefined : await seal.open(cookie);
    const call = { token: bearer ?? session?.token, requestId, peerAddress, signal: signal() };
    return { site, call, registry: registry.open(call), session, origin, host, now: clock.now() };
  }

  function exchangeOf(context: RequestContext, params: Exchange['params'], visit: Visit): Exchange {
    const { request, requestId } = context;
    const cookies: string[] = [];
    const page = (html: Html, status = 200, more?: Readonly<Record<string, string>>) =>
      htmlResponse(status, html, { requestId, more, cookies });
    return {
      request,
      params,
      query: new URLSearchParams(context.query),
      visit,
      readForm: () => readForm(request.headers.get('content-type'), (limit) => context.readBody(limit)),
      page,
      refuse(refusal: Refusal, details: RefusalDetails = {}) {
        const { retryAfterSeconds = refusal === 'unavailable' ? 1 : undefined } = details;
        const more = retryAfterSeconds === undefined ? undefined : { 'retry-after': String(retryAfterSeconds) };
        return page(refusalPage(visit, refusal, details), refusalStatus(refusal), more);
      },
      redirect: (target) => seeOther(target, { requestId, cookies }),
      addCookie: (cookie) => void cookies.push(cookie),
    };
  }

  /** Shows the sign-in form, which leads back to the requested page. */
  function askToSignIn(
    { request, visit, page, addCookie }: Exchange,
    { path: asked, query }: RequestContext,
  ): Response {
    const hadSession = sessionCookie(request, visit.origin) !== undefined;
    if (hadSession) addCookie(sessionToForget(visit.origin));
    const wanted = request.method === 'GET' || request.method === 'HEAD' ? asked : path;
    const next = returnPath(query === '' ? wanted : `${wanted}?${query}`, path);
    const fromOutside = request.headers.get('sec-fetch-site') === 'cross-site';
    const problem = hadSession ? 'Your session has ended. Sign in again.' : undefined;
    return page(signInPage(visit, { next, problem, fromOutside }), 401);
  }

  function failed(error: unknown, exchange: Exchange, context: RequestContext): Response {
    const { requestId } = exchange.visit.call;
    if (needsSignIn(error)) return askToSignIn(exchange, context);
    if (!isRegistryError(error) || error.kind === 'internal') {
      options.onError?.(error, { requestId, operation: 'registry.page' });
      return exchange.refuse('internal', { requestId });
    }
    if (error.kind === 'unavailable') return exchange.refuse('unavailable', { requestId });
    return exchange.refuse(error.kind === 'not_found' ? 'not_found' : 'invalid');
  }

  const signing = createSignInHandlers(context);
  const reading = createReadHandlers(context);
  const managing = createManageHandlers(context);
  const notFound: Handler = async (exchange) => exchange.refuse('not_found');
  const version = `${path}/:namespace/:name/:provider/:version`;
  const get = (at: string, value: Handler | Asset) => ['GET', 'HEAD'].map((method) => ({ method, path: at, value }));
  const post = (at: string, value: Handler) => [{ method: 'POST', path: at, value }];
  const router = createRouter<Handler | Asset>([
    ...get(site.stylePath, { content: STYLE, contentType: 'text/css; charset=utf-8' }),
    ...get(site.iconPath, { content: ICON, contentType: 'image/svg+xml' }),
    ...get(site.signInPath, signing.show),
    ...post(site.signInPath, signing.signIn),
    ...post(site.signOutPath, signing.signOut),
    ...get(path, reading.index),
    ...get(`${path}/:namespace`, reading.organization),
    ...get(`${path}/:namespace/:name`, reading.name),
    ...get(`${path}/:namespace/:name/:provider`, reading.module),
    ...get(version, reading.version),
    ...get(`${version}/:action`, managing.show),
    ...post(`${version}/:action`, managing.submit),
  ]);

  async function answer(context: RequestContext): Promise<Response> {
    const { request, segments = [] } = context;
    // A trailing slash means the page without it.
    const match = router.match(segments.at(-1) === '' ? segments.slice(0, -1) : segments);
    const found = match?.methods.get(request.method) ?? notFound;
    if (typeof found !== 'function') return assetResponse(found.content, found.contentType);
    const visit = await visitOf(context);
    const exchange = exchangeOf(context, match?.params ?? {}, visit);
    // Before anything is read: a rejected attempt must cost nothing. A session is sealed by this page: no attempt.
    const isAttempt = found === signing.signIn || bearerToken(request.headers) !== undefined;
    const verdict = isAttempt
      ? await rates.takeLogin(context.peerAddress)
      : await (visit.session === undefined ? rates.takeOpen(context.peerAddress) : rates.calls.take(visit.call));
    if (verdict?.allowed === false)
      return exchange.refuse('too_many', { retryAfterSeconds: retryAfterSeconds(verdict) });
    try {
      const response = await found(exchange);
      if (visit.session !== undefined) await rates.calls.recordResult(visit.call, true);
      return response;
    } catch (error) {
      if (needsSignIn(error)) await rates.calls.recordResult(visit.call, false);
      return failed(error, exchange, context);
    }
  }

  async function compressed(response: Response, { request, path: asked }: RequestContext): Promise<Response> {
    if (response.body === null) return response;
    const { status, headers } = response;
    const plain = new Uint8Array(await response.arrayBuffer());
    // The address of a file names its content.
    const tag = headers.get('cache-control')?.includes('immutable') === true ? asked : undefined;
    const gzipped = wantsGzip(request.headers, plain.byteLength) ? await compress(plain, tag) : undefined;
    headers.set('vary', 'accept-encoding');
    if (gzipped !== undefined) headers.set('content-encoding', 'gzip');
    const body = gzipped ?? plain;
    headers.set('content-length', String(body.byteLength));
    // These bytes are never in shared memory, which the wider type would allow.
    return new Response(body as Uint8Array<ArrayBuffer>, { status, headers });
  }

  /** For a year, as browsers keep it (RFC 6797): only where visitors come by https; elsewhere they ignore it. */
  async function answerStrictly(context: RequestContext): Promise<Response> {
    const response = await compressed(await answer(context), context);
    const { protocol } = publicUrl ?? new URL(context.request.url);
    if (protocol === 'https:') response.headers.set('strict-transport-security', 'max-age=31536000');
    return response;
  }

  return { path, ...createApp(options, answerStrictly) };
}

interface Asset {
  readonly content: string;
  readonly contentType: string;
}

/**
 * Nothing is loaded but the style sheet and the icon of this origin; no script runs, no site may frame it, forms submit to this origin. No
 * `unsafe-inline`: markup that got in could neither run nor draw over the page.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const COMMON = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  // Not `no-referrer`: with it browsers send forms with the origin "null", and the form guard could not tell them apart.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

export interface PageHeaders {
  readonly requestId: string;
  readonly more?: Readonly<Record<string, string>> | undefined;
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[];
}

export function htmlResponse(status: number, body: Html, { requestId, more, cookies = [] }: PageHeaders): Response {
  const headers = {
    ...COMMON,
    'cache-control': 'no-store',
    'content-type': 'text/html; charset=utf-8',
    'x-request-id': requestId,
    ...more,
  };
  return withCookies(new Response(body.toString(), { status, headers }), cookies);
}

/** To a page of this registry, after a form: reloading it does not send the form again. */
export function seeOther(path: string, { requestId, cookies = [] }: PageHeaders): Response {
  const headers = { ...COMMON, 'cache-control': 'no-store', location: path, 'x-request-id': requestId };
  return withCookies(new Response(null, { status: 303, headers }), cookies);
}

/** For a file whose address names its content. */
export function assetResponse(content: string, contentType: string): Response {
  const headers = {
    ...COMMON,
    'cache-control': 'public, max-age=31536000, immutable',
    'content-type': contentType,
  };
  return new Response(content, { status: 200, headers });
}

function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('set-cookie', cookie);
  return response;
}
