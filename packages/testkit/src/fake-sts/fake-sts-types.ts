/** The fake STS as tests, the sandbox and embedders see it. */
import type { CallerIdentitySource, Clock, EpochMillis, RandomSource } from '@postern/ports';
import type { Sleep } from '../fake-cloud/behaviour.js';
import type { WireRequest } from '../sigv4/wire-request.js';
import type { StsVerdictCode } from './actions.js';
import type { CredentialIssuer } from './credentials.js';
import type { CallerIdentityFields, SignCallerIdentityOptions } from './sign-get-caller-identity.js';
import type { Misbehaviour, StsBehaviour } from './sts-behaviour.js';
import type { StsCloud } from './sts-cloud.js';

export interface FakeStsOptions {
  /** Whose users and roles call. Its region's partition is the partition of all keys. */
  readonly cloud: StsCloud;
  /** Judges dates and expiry, and stamps calls. */
  readonly clock: Clock;
  /** Source of keys, tokens and request ids; wins over `seed`. */
  readonly random?: RandomSource;
  /** The same seed gives the same keys in the same order. */
  readonly seed?: string;
  /** How a lagging answer waits; real time unless told. */
  readonly sleep?: Sleep;
}

/** A call that reached STS, signed well or not. */
export interface FakeStsCall {
  readonly at: EpochMillis;
  readonly face: 'source' | 'http';
  /** What was connected to: the request's `endpoint`, or the URL of the listener. */
  readonly endpoint: string;
  /** The Host header as sent; undefined without one, joined by a comma when there are several. */
  readonly host: string | undefined;
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** In the order and spelling in which they were sent. */
  readonly headerNames: readonly string[];
  readonly action: string | undefined;
  /** `ok`, the code of the error answered, or the misbehaviour that took the answer's place. */
  readonly outcome: StsVerdictCode | Misbehaviour;
  /** All that was sent, for comparison byte by byte. A function, so that printing a call prints no signed header. */
  request(): WireRequest;
}

export interface FakeStsListener {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** Ends all connections, hanging ones too. Idempotent. */
  close(): Promise<void>;
}

export interface FakeSts extends CredentialIssuer {
  /** The port, in process. Sends to any endpoint end here: `calls` says which it was. */
  readonly source: CallerIdentitySource;
  /** The same STS as an HTTP server on a free port of the loopback address, for adapters and real SDKs. */
  listen(): Promise<FakeStsListener>;
  readonly behaviour: StsBehaviour;
  /** Every call that reached either face, in order. */
  readonly calls: readonly FakeStsCall[];
  clearCalls(): void;
  /** The four fields of a login, signed now by the fake's clock. */
  signLogin(options: Omit<SignCallerIdentityOptions, 'date'> & { readonly date?: EpochMillis }): CallerIdentityFields;
}
