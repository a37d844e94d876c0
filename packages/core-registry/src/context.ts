/** What every part of the registry is made from: the ports, the options with their defaults, and what they share. */
import type { AskedAddress } from './audit/asked-address.js';
import { type AuditedOperation, createRunAudited, type RunAudited } from './audit/run-audited.js';
import { createKeyedSerializer, type RunInTurn } from './lifecycle/keyed-serializer.js';
import { createModuleStatuses, type ReadModuleStatuses } from './modules/module-statuses.js';
import { OPERATIONS, type OperationId } from './operations.js';
import type { RegistryOptions, RegistryPorts } from './options.js';
import { createStatusStore, type StatusStore } from './store/status-store.js';

export interface RegistryContext {
  readonly ports: RegistryPorts;
  readonly onError: NonNullable<RegistryOptions['onError']>;
  readonly store: StatusStore;
  readonly readModuleStatuses: ReadModuleStatuses;
  readonly runAudited: RunAudited;
  readonly runInTurn: RunInTurn;
}

const DEFAULT_STORAGE_PREFIX = 'postern/registry/';

/** @throws TypeError where the storage prefix does not end with a slash. */
export function createContext(ports: RegistryPorts, options: RegistryOptions): RegistryContext {
  const { storagePrefix = DEFAULT_STORAGE_PREFIX, onError = () => undefined } = options;
  if (!storagePrefix.endsWith('/')) throw new TypeError('storagePrefix: must end with a slash');
  const store = createStatusStore(ports.storage, storagePrefix);
  return {
    ports,
    onError,
    store,
    readModuleStatuses: createModuleStatuses(store),
    runAudited: createRunAudited(ports),
    runInTurn: createKeyedSerializer(),
  };
}

/** An operation of the catalogue as the audit trail knows it: what a manager does is always recorded. */
export function audited(id: OperationId, asked: AskedAddress): AuditedOperation {
  const operation = OPERATIONS.find((each) => each.id === id);
  return { id, recordsSuccess: operation?.action === 'manage', asked };
}
