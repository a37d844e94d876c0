/** What the registry is made of: ports, options, and what its operations share. */

import {
  type AuditOutbox,
  createAuditOutbox,
  createKeyedSerializer,
  isAuditOutbox,
  type KeyedSerializer,
  newestFormat,
} from '@postern/kernel';
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
import { createRunAudited, type RunAudited } from './audit/run-audited.js';
import { createModuleStatuses, type ReadModuleStatuses } from './modules/module-statuses.js';
import { createStatusStore, type StatusStore } from './store/status-store.js';

/** Everything that reaches outside. */
export interface RegistryPorts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly catalogue: ModuleCatalogue;
  /** Publishes and deletes versions of the catalogue. Without it `publish` and `delete` answer `not_found`. */
  readonly publisher?: ModulePublisher | undefined;
  readonly authorizer: RegistryAuthorizer;
  readonly audit: AuditSink;
  /** Receives every committed transition. */
  readonly events?: RegistryEventSink | undefined;
}

export interface RegistryOptions {
  /** Prefix of every storage key, ends with `/`. Default `postern/registry/`. */
  readonly storagePrefix?: string;
  /** The format version that records are written in (STORE-5); asked at each write. Default: the newest. */
  readonly recordFormat?: () => number;
  /**
   * Names this process among those that share the storage; what a process of that name left of its audit events is fed by
   * `feedAudit`. Default: random; then other processes feed it, five minutes after this one ended.
   */
  readonly auditNode?: string;
  /** Called when the event sink rejects an event. The transition stands. */
  readonly onError?: (error: unknown, event: RegistryEvent) => void;
}

export interface RegistryContext {
  readonly ports: RegistryPorts;
  readonly onError: NonNullable<RegistryOptions['onError']>;
  readonly outbox: AuditOutbox;
  readonly store: StatusStore;
  readonly readModuleStatuses: ReadModuleStatuses;
  readonly runAudited: RunAudited;
  /**
   * Commands, publications and deletions of one version run one at a time in this process: events keep the order of the
   * history. Statuses do not depend on it, their commits are conditional.
   */
  readonly turns: KeyedSerializer;
}

const DEFAULT_STORAGE_PREFIX = 'postern/registry/';

/** @throws TypeError where the storage prefix does not end with a slash. */
export function createContext(ports: RegistryPorts, options: RegistryOptions): RegistryContext {
  const { storagePrefix = DEFAULT_STORAGE_PREFIX, onError = () => undefined } = options;
  if (!storagePrefix.endsWith('/')) throw new TypeError('storagePrefix: must end with a slash');
  const store = createStatusStore(ports.storage, storagePrefix, options.recordFormat ?? newestFormat);
  const { storage, clock, audit } = ports;
  const outbox = isAuditOutbox(audit)
    ? audit
    : createAuditOutbox({ storage, clock, sinks: [audit], prefix: `${storagePrefix}audit-`, node: options.auditNode });
  return {
    ports,
    onError,
    outbox,
    store,
    readModuleStatuses: createModuleStatuses(store),
    runAudited: createRunAudited(outbox, clock),
    turns: createKeyedSerializer(),
  };
}
