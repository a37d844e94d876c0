/** One request as the handlers of the registry see it, and what they answer. */
import type { RegistryCall, RegistrySession } from '@postern/core-registry';
import type { ModuleAddress, ModuleVersionAddress } from '@postern/ports';
import type { Face } from './faces.js';

export interface Exchange {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly call: RegistryCall;
  /** Of this request: identifies the caller once. */
  readonly session: RegistrySession;
  readonly face: Face;
  /** The whole body, within the limit. @throws AuthError `body_too_large`, `body_invalid` */
  readBody(): Promise<Uint8Array>;
  /** The body piece by piece, however large: an archive. Begins to be read with its first piece. */
  streamBody(): AsyncIterable<Uint8Array>;
}

export interface Answer {
  readonly status: number;
  /** Text and bytes are hashed for their ETag where the request is a read. */
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null;
  /** Default: that of the face. */
  readonly contentType?: string | undefined;
  /** With its quotes, where it is known without hashing the body. */
  readonly etag?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export type Handler = (exchange: Exchange) => Promise<Answer>;

export function json(status: number, body: unknown): Answer {
  return { status, body: JSON.stringify(body) };
}

/**
 * The module that a path names. A path below `/api/v2` names its organization twice; where the two differ the address is
 * malformed, so that core answers as for any module that is not there (REGAPI-1).
 */
export function moduleOf({ params }: Pick<Exchange, 'params'>): ModuleAddress {
  const { organization_name: namespace = '', organization_again: again = namespace } = params;
  const { module_name: name = '', module_provider: provider = '' } = params;
  return { namespace: namespace === again ? namespace : '', name, provider };
}

export function versionOf(exchange: Pick<Exchange, 'params'>): ModuleVersionAddress {
  const { module_version: version = '' } = exchange.params;
  return { ...moduleOf(exchange), version };
}
