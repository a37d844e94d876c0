/** What every handler of the page works with, and how it answers. */
import type { Registry } from '@postern/core-registry';
import type { FormBody } from './form-body.js';
import type { Html } from './html.js';
import type { SessionSeal } from './session/session-cookie.js';
import type { Site, Visit } from './views/document.js';
import type { Refusal, RefusalDetails } from './views/error-pages.js';

export interface PageContext {
  readonly registry: Registry;
  readonly site: Site;
  readonly seal: SessionSeal;
}

/** One request with the means to answer it. */
export interface Exchange {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly visit: Visit;
  readForm(): Promise<FormBody>;
  /** A `Set-Cookie` for the answer. */
  addCookie(cookie: string): void;
  page(html: Html, status?: number): Response;
  refuse(refusal: Refusal, details?: RefusalDetails): Response;
  redirect(path: string): Response;
}

export type Handler = (exchange: Exchange) => Promise<Response>;
