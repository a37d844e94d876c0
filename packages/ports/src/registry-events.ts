import type { EpochMillis } from './clock.js';
import type { ModuleVersionAddress } from './module-catalogue.js';
import type { Awaitable } from './shared.js';

export type ModuleVersionState = 'active' | 'deprecated' | 'revoked';

/** A transition of a module version that was committed. Free text is as the caller sent it: escape it. */
export interface RegistryEvent {
  readonly time: EpochMillis;
  readonly version: ModuleVersionAddress;
  readonly from: ModuleVersionState;
  readonly to: ModuleVersionState;
  /** Who did it. */
  readonly actor: string;
  readonly reason: string | null;
}

/** Receives every transition after its commit, so that an embedder can notify the users of the version. */
export interface RegistryEventSink {
  /** A failure is reported to the embedder and undoes nothing. */
  publish(event: RegistryEvent): Awaitable<void>;
}
