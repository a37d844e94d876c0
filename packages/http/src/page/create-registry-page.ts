/** The registry's page (PAGE-1): server-rendered HTML that needs no script. Routes, and who looks at them. */
import { isRegistryError } from '@postern/core-registry';
import { type Context, Hono } from 'hono';
import { bearerToken } from '../bearer-token.js';
import { createLoginRateLimit } from '../login-rate.js';
import { readBoundedBody } from '../request-body.js';
import { requestIdSource } from '../request-id.js';
import { rawPath, rawQuery } from '../request-path.js';
import { readForm } from './form-body.js';
import type { Html } from './html/html.js';
import { createManageHandlers } from './manage/manage-handlers.js';
import type { Exchange, Handler } from './page-context.js';
import type { RegistryPage, RegistryPageOptions } from './page-options.js';
import { assetResponse, htmlResponse, seeOther } from './page-response.js';
import { createReadHandlers, needsSignIn } from './read-handlers.js';
import { returnPath } from './session/return-path.js';
import { createSessionSeal, SESSION_KEY_BYTES, type Session } from './session/session-cookie.js';
import { createSignInHandlers } from './session/sign-in-handlers.js';
import { sessionCookie, sessionToForget } from './session/visitor-cookies.js';
import { createSite } from './site.js';
import { type Refusal, type RefusalDetails, refusalPage, refusalStatus } from './views/error-pages.js';
import { ICON } from './views/icon.js';
import { signInPage } from './views/sign-in-page.js';
import { STYLE } from './views/style.js';
import type { Visit } from './visit.js';

const DEFAULT_SESSION_SECONDS = 8 * 60 * 60;

/**
 * Makes the page. It answers `path` and everything below; hand it to `createHttpApp`, or to a server by itself.
 *
 * @throws TypeError for a session key that is not 32 bytes, a path or a public URL that cannot be meant.
 * @example
 * ```ts
 * const page = createRegistryPage({ registry, cipher: crypto, random: crypto, peerAddress: () => undefined });
 * const response = await page.fetch(new Request('https://registry.acme.example/registry'), undefined);
 * ```
 */
export function createRegistryPage<Info = undefined>(options: RegistryPageOptions<Info>): RegistryPage<Info> {
  const { registry, cipher, random, path = '/registry', title = 'Module registry' } = options;
  const { sessionKey = random.bytes(SESSION_KEY_BYTES), sessionSeconds = DEFAULT_SESSION_SECONDS } = options;
  if (sessionKey.length !== SESSION_KEY_BYTES) throw new TypeError(`sessionKey must be ${SESSION_KEY_BYTES} bytes`);
  if (!/^(?:\/[\w-]+)+$/.test(path)) throw new TypeError('path must be like /registry');
  const publicUrl = options.publicUrl === undefined ? undefined : new URL(options.publicUrl);
  const clock = options.clock ?? { now: () => Date.now() };
  const rate = options.loginRate && createLoginRateLimit(clock, options.loginRate);
  const nextRequestId = requestIdSource(options.requestIds);
  const readBody = options.readBody ?? ((request: Request, limit: number) => readBoundedBody(request, limit));
  const site = createSite(path, title);
  const seal = createSessionSeal({ cipher, random, clock, key: sessionKey, lifetimeSeconds: sessionSeconds });
  const context = { registry, site, seal };

  async function visitOf(http: Context, info: Info): Promise<Visit> {
    const request = http.req.raw;
    const { origin, host } = publicUrl ?? new URL(request.url);
    const bearer = bearerToken(request.headers);
    const cookie = bearer === undefined ? sessionCookie(http, origin) : undefined;
    const session: Session | undefined = cookie === undefined ? undefined : await seal.open(cookie);
    const peerAddress = options.peerAddress(request, info);
    const call = { token: bearer ?? session?.token, requestId: nextRequestId(), peerAddress, signal: request.signal };
    return { site, call, session, origin, host, now: clock.now() };
  }

  function exchangeOf(http: Context, info: Info, visit: Visit): Exchange {
    const { requestId } = visit.call;
    const cookies: string[] = [];
    const page = (html: Html, status = 200, more?: Readonly<Record<string, string>>) =>
      htmlResponse(status, html, { requestId, more, cookies });
    return {
      http,
      visit,
      readForm: () => readForm(http.req.header('content-type') ?? null, (limit) => readBody(http.req.raw, limit, info)),
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

  /** Whoever is not signed in, or no longer, gets the form; after it they are where they wanted to go. */
  function askToSignIn({ http, visit, page, addCookie }: Exchange): Response {
    const request = http.req.raw;
    const hadSession = sessionCookie(http, visit.origin) !== undefined;
    if (hadSession) addCookie(sessionToForget(visit.origin));
    const query = rawQuery(request.url);
    const wanted = request.method === 'GET' || request.method === 'HEAD' ? rawPath(request.url) : path;
    const next = returnPath(query === '' ? wanted : `${wanted}?${query}`, path);
    const fromOutside = request.headers.get('sec-fetch-site') === 'cross-site';
    const problem = hadSession ? 'Your session has ended. Sign in again.' : undefined;
    return page(signInPage(visit, { next, problem, fromOutside }), 401);
  }

  function failed(error: unknown, exchange: Exchange): Response {
    const { requestId } = exchange.visit.call;
    if (needsSignIn(error)) return askToSignIn(exchange);
    if (!isRegistryError(error) || error.kind === 'internal') {
      options.onError?.(error, { requestId, operation: 'registry.page' });
      return exchange.refuse('internal', { requestId });
    }
    if (error.kind === 'unavailable') return exchange.refuse('unavailable', { requestId });
    return exchange.refuse(error.kind === 'not_found' ? 'not_found' : 'invalid');
  }

  const app = new Hono<{ Bindings: Info & object }>({ strict: false }).basePath(path);
  /** @param takesToken whether what is sent may hold one. */
  const handle =
    (handler: Handler, takesToken = false) =>
    async (http: Context) => {
      const exchange = exchangeOf(http, http.env, await visitOf(http, http.env));
      // Before anything is read or asked: what a peer may not do shall cost nothing. A session is sealed by us: no attempt.
      const isAttempt = takesToken || bearerToken(http.req.raw.headers) !== undefined;
      const tooMany = isAttempt ? rate?.take(exchange.visit.call.peerAddress) : undefined;
      if (tooMany !== undefined) return exchange.refuse('too_many', tooMany);
      try {
        return await handler(exchange);
      } catch (error) {
        return failed(error, exchange);
      }
    };
  const asset = (from: string, content: string, type: string) => app.get(from, () => assetResponse(content, type));
  const local = (whole: string) => whole.slice(path.length);

  const signing = createSignInHandlers(context);
  const reading = createReadHandlers(context);
  const managing = createManageHandlers(context);
  const version = '/:namespace/:name/:provider/:version';
  asset(local(site.stylePath), STYLE, 'text/css; charset=utf-8');
  asset(local(site.iconPath), ICON, 'image/svg+xml');
  app.get(local(site.signInPath), handle(signing.show));
  app.post(local(site.signInPath), handle(signing.signIn, true));
  app.post(local(site.signOutPath), handle(signing.signOut));
  app.get('/', handle(reading.index));
  app.get('/:namespace', handle(reading.organization));
  app.get('/:namespace/:name', handle(reading.name));
  app.get('/:namespace/:name/:provider', handle(reading.module));
  app.get(version, handle(reading.version));
  app.get(`${version}/:action`, handle(managing.show));
  app.post(`${version}/:action`, handle(managing.submit));
  app.all(
    '*',
    handle(async (exchange) => exchange.refuse('not_found')),
  );

  return {
    path,
    // Hono hands `info` on as it is; its type wants an object because that is what platforms give.
    fetch: async (request, info) => app.fetch(request, info as Info & object),
  };
}
