import type { CallOptions } from './shared.js';

/** A GetCallerIdentity request that core rebuilt from checked parts. Adapters send it exactly as it stands. */
export interface CallerIdentityRequest {
  readonly method: 'POST' | 'GET';
  /** Where to connect: the operator's endpoint, never the client's word. */
  readonly endpoint: string;
  /** Path with query. */
  readonly target: string;
  /** Includes `host`, which the client signed; in the order to be sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | undefined;
}

/** The answer as received, for core to judge. */
export interface CallerIdentityAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  /** At most 64 KiB; an adapter fails with `unavailable` rather than cut. */
  readonly body: Uint8Array;
  readonly retryAfterSeconds: number | undefined;
}

/** Sends the rebuilt request to STS, once, following no redirect. */
export interface CallerIdentitySource {
  /** @throws ProviderError `unavailable` on timeout or connection failure. */
  send(request: CallerIdentityRequest, options?: CallOptions): Promise<CallerIdentityAnswer>;
}
