/** What the page is made of. */
import type { Registry } from '@postern/core-registry';
import type { Cipher, RandomSource } from '@postern/ports';
import type { RateOptions } from '../rate.js';
import type { HttpApp, RequestOptions } from '../request.js';

/**
 * `loginRate` limits how often a peer shows a token, by the form or in a header.
 *
 * @typeParam Info what the platform passes to `fetch` with a request: a socket, an environment.
 */
export interface RegistryPageOptions<Info> extends Omit<RequestOptions<Info>, 'bodyLimitBytes'>, RateOptions {
  readonly registry: Registry;
  /** Seals the session's cookie: `createNodeCrypto()`, `createWebCrypto()`, or your own. */
  readonly crypto: Cipher & RandomSource;
  /**
   * 32 bytes under which sessions are sealed; every node that serves the page needs the same. Default: random ones, so
   * that sessions end with the process.
   */
  readonly sessionKey?: Uint8Array | undefined;
  /** How long a visitor stays signed in. Default 8 hours. */
  readonly sessionSeconds?: number;
  /** Where it hangs: `/registry` by default. Without a slash at its end. */
  readonly path?: string;
  /**
   * Where visitors and clients find this server: `https://registry.acme.example`. Needed behind a proxy that ends TLS:
   * it decides whether cookies are `Secure`, which origin forms must come from, and the host in a module's source.
   * Default: scheme and host of each request.
   */
  readonly publicUrl?: string | undefined;
  /** Name at the top of every page. Default `Module registry`. */
  readonly title?: string;
}

/** The page as one web-standard application. */
export interface RegistryPage<Info> extends HttpApp<Info> {
  /** It answers this path and everything below it. */
  readonly path: string;
}
