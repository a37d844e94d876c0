/** What every part of the registry is made from: the ports, the options with their defaults, and what they share. */
import { isAddressPart } from './addresses/address.js';
import { type AuditedOperation, createRunAudited, type RunAudited } from './audit/run-audited.js';
import { createKeyedSerializer, type RunInTurn } from './lifecycle/keyed-serializer.js';
import { createModuleStatuses, type ReadModuleStatuses } from './modules/module-statuses.js';
import { OPERATIONS, type OperationId } from './operations.js';
import type { RegistryOptions, RegistryPorts } from './options.js';
import { createStatusStore, type StatusStore } from './store/status-store.js';
import { parseVersion } from './versions/version.js';

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

/** What of an address the caller named. */
export interface AskedAddress {
  readonly namespace?: string | undefined;
  readonly module?: string;
  readonly provider?: string;
  readonly version?: string;
}

/**
 * An operation of the catalogue as the audit trail knows it: what a manager does is always recorded. What is no address is
 * not repeated: it may be anything, such as a token that somebody pasted in its place (threat C6).
 */
export function audited(id: OperationId, asked: AskedAddress): AuditedOperation {
  const operation = OPERATIONS.find((each) => each.id === id);
  const told = Object.entries(asked).map(([name, text]) => {
    const isSound = name === 'version' ? parseVersion(text) !== undefined : isAddressPart(text);
    return [name, text === undefined || isSound ? text : '(malformed)'] as const;
  });
  return { id, recordsSuccess: operation?.action === 'manage', details: Object.fromEntries(told) };
}
