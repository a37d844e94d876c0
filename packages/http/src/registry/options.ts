/** What the HTTP representation of the registry is set up with. */
import type { Registry } from '@postern/core-registry';
import type { RateLimiter } from '@postern/ports';
import type { Rate } from '../rate.js';
import type { RequestOptions } from '../request.js';
import type { ArchiveOverlay } from './downloads.js';
import type { UrlSigner } from './url-signer.js';

/** The registry's own part: what `createHttpApp` takes as `registry`. */
export interface RegistryHttpOptions {
  readonly registry: Registry;
  /** Signs the addresses of archives: `createUrlSigner`, or your own. */
  readonly urlSigner: UrlSigner;
  /** How long such an address holds. Default 600. */
  readonly downloadTtlSeconds?: number;
  /** Where clients reach the service: `https://registry.acme.example`. Without it addresses are relative to the request. */
  readonly publicUrl?: string;
  /**
   * How often a caller may ask: each token that was accepted, and each peer without one. Without it, as often as it likes; `{}` takes the
   * defaults: 500 a second and 10,000 at once for a token, 50 and 200 for a peer. What is given holds for both, and `burst` is then
   * as many as a second gives, unless it is given too.
   */
  readonly rate?: Rate;
  /** Where the counts are kept. Default: in memory, for this application. */
  readonly rateLimiter?: RateLimiter | undefined;
  /** Archives that warn stock clients while their version is deprecated. Default: none. */
  readonly overlay?: ArchiveOverlay;
}

/** @typeParam Info what the platform passes to `fetch` with a request: a socket, an environment. */
export interface RegistryAppOptions<Info> extends RegistryHttpOptions, RequestOptions<Info> {
  /** Called when an authorized caller starts to upload an archive, which may take longer than other bodies. */
  readonly onUpload?: (request: Request, info: Info) => void;
}
