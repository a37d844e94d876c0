/** What the HTTP face of the registry is set up with. */
import type { Registry } from '@postern/core-registry';
import type { Clock, RandomSource } from '@postern/ports';
import type { CallRate } from './call-rate.js';
import type { WantsOverlay } from './downloads.js';
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
  /**
   * Modules whose archives warn stock clients at every plan while their version is deprecated (OVERLAY-1): changes
   * the archive's digest and fails its consumers' `terraform test`. Default: none.
   */
  readonly wantsOverlay?: WantsOverlay;
}

/** @typeParam Info what the surroundings hand to `fetch` with a request: a socket, an environment. */
export interface RegistryAppOptions<Info> extends RegistryHttpOptions {
  /** The caller's IP address; undefined where it is not known. */
  readonly peerAddress: (request: Request, info: Info) => string | undefined;
  /** Where request ids come from. Default: `crypto.randomUUID`. */
  readonly requestIds?: RandomSource | (() => string);
  /** Of JSON documents; archives have the publisher's bounds. Default 1 MiB. */
  readonly bodyLimitBytes?: number;
  /**
   * Reads a body where the surroundings have a cheaper way than the request's stream. Must hold the limit before it keeps
   * bytes, and throw what `readBoundedBody` throws.
   */
  readonly readBody?: (request: Request, limitBytes: number, info: Info) => Promise<Uint8Array>;
  /**
   * Told when the bytes of an archive are about to be read, from a caller who may publish: a body that may take longer than
   * others are let.
   */
  readonly onUpload?: (request: Request, info: Info) => void;
  /** Judges addresses of archives and fills the buckets of `rate`. Default: the machine's. */
  readonly clock?: Clock;
  /** Told of every answer with status 500: a defect of ours. Never given a secret. */
  readonly onError?: (
    error: unknown,
    at: { readonly requestId: string; readonly operation: string | undefined },
  ) => void;
}
