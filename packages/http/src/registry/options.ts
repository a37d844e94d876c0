/** What the HTTP representation of the registry is set up with. */
import type { Registry } from '@postern/core-registry';
import type { RequestOptions } from '../request.js';
import type { CallRate } from './call-rate.js';
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
  /** How often a caller may ask; without it, as often as it likes. `{}` takes the defaults. */
  readonly rate?: CallRate;
  /** Archives that warn stock clients while their version is deprecated. Default: none. */
  readonly overlay?: ArchiveOverlay;
}

/** @typeParam Info what the platform passes to `fetch` with a request: a socket, an environment. */
export interface RegistryAppOptions<Info> extends RegistryHttpOptions, RequestOptions<Info> {
  /** Called when an authorized caller starts to upload an archive, which may take longer than other bodies. */
  readonly onUpload?: (request: Request, info: Info) => void;
}
