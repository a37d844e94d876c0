/** What `createRegistry` takes: the ports it works through and how it is set up. */
import type {
  AuditSink,
  Clock,
  ModuleCatalogue,
  ModulePublisher,
  RegistryAuthorizer,
  RegistryEvent,
  RegistryEventSink,
  Storage,
} from '@postern/ports';

/** Everything that reaches outside. */
export interface RegistryPorts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly catalogue: ModuleCatalogue;
  /** Publishes and deletes what the catalogue shows; without it nobody does so through the registry. */
  readonly publisher?: ModulePublisher | undefined;
  readonly authorizer: RegistryAuthorizer;
  readonly audit: AuditSink;
  /** Is told of every committed transition. */
  readonly events?: RegistryEventSink | undefined;
}

export interface RegistryOptions {
  /** Prefix of every storage key, ends with `/`. Default `postern/registry/`. */
  readonly storagePrefix?: string;
  /** Hears of an event that its sink did not take. The transition stands. */
  readonly onError?: (error: unknown, event: RegistryEvent) => void;
}
