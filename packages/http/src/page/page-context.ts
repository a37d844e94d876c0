/** What every handler of the page works with, and how it answers. */
import type { Registry, RegistryCall, RegistrySession } from '@postern/core-registry';
import type { EpochMillis } from '@postern/ports';
import type { FormBody } from './form-body.js';
import type { Html } from './html.js';
import type { Session, SessionSeal } from './session/session-cookie.js';
import type { Site } from './site.js';
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

/** One request to the page: who looks, from where, and what every view needs to know of it. */
export interface Visit {
  readonly site: Site;
  readonly call: RegistryCall;
  /** The registry, for this request: identifies the caller once. */
  readonly registry: RegistrySession;
  /** Present where the visitor signed in by the form: only then there are forms to change anything. */
  readonly session: Session | undefined;
  /** Of the page, as browsers name it: `https://registry.acme.example`. */
  readonly origin: string;
  /** As it stands in a module's source: `registry.acme.example`. */
  readonly host: string;
  readonly now: EpochMillis;
}
