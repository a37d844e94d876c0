/** One request to the page: who looks, from where, and what every view needs to know of it. */
import type { RegistryCall, RegistrySession } from '@postern/core-registry';
import type { EpochMillis } from '@postern/ports';
import type { Session } from './session/session-cookie.js';
import type { Site } from './site.js';

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
