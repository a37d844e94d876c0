/** What a registry is that the server serves, and what it is made from. */
import type { AuthMethod } from '@postern/core-auth';
import type { BodyBudget, RateOptions, RegistryHttpOptions, RegistryPage } from '@postern/http';
import type { AuditOutbox } from '@postern/kernel';
import type { Cipher, Clock, RandomSource, Storage } from '@postern/ports';
import type { Log } from '../log.js';
import type { NodeRequestInfo } from '../network/listener.js';

/** The server's parts, once they are there. */
export interface RegistrySurroundings extends RateOptions {
  /** Its tokens may open the registry. */
  readonly method: AuthMethod;
  readonly clock: Clock;
  readonly crypto: Cipher & RandomSource;
  readonly log: Log;
  /** Of the server. */
  readonly storage: Storage;
  /** Takes the events of what is committed to that storage. */
  readonly audit: AuditOutbox;
  /** For the page: who asks, and how a body is read. */
  readonly peerAddress: (request: Request, info: NodeRequestInfo) => string | undefined;
  readonly readBody: (
    request: Request,
    limitBytes: number,
    info: NodeRequestInfo,
    onBytes?: (bytes: number) => void,
  ) => Promise<Uint8Array>;
  readonly bodyBudget: BodyBudget;
}

export interface ServedRegistry {
  readonly http: RegistryHttpOptions;
  readonly page?: RegistryPage<NodeRequestInfo> | undefined;
  /** What an operator should see in health. */
  warnings?(): Promise<readonly string[]>;
  /** After the last request, before the storage is closed. */
  close?(graceMs: number): Promise<void>;
}

/** Makes the registry of a server. */
export type OpenRegistry = (surroundings: RegistrySurroundings) => Promise<ServedRegistry>;
