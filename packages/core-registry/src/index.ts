/** The registry of Postern: module versions are deprecated, reinstated and revoked, and whoever uses them is told. */
export {
  REGISTRY_ERROR_KINDS,
  REGISTRY_STATUS_OF_KIND,
  type RegistryErrorCode,
  type RegistryErrorKind,
} from './error-codes.js';
export { isRegistryError, RegistryError, type RegistryErrorOptions } from './errors.js';
export type { DeprecationInput, RangeInput, RevocationInput } from './input/input.js';
export { COMMANDS, type Command, STATES, TRANSITIONS, type Transition } from './lifecycle/transitions.js';
export type { RegistryOperation } from './operations.js';
export type { RegistryOptions, RegistryPorts } from './options.js';
export type {
  Access,
  CommandOutcome,
  DeprecateOutcome,
  DownloadGrant,
  HistoryEntry,
  HistoryPage,
  HistoryQuery,
  ModuleList,
  ModuleQuery,
  ModuleVersionView,
  RangeChange,
  RangeOutcome,
  Registry,
  RegistryCall,
  VersionList,
  VersionListing,
} from './registry.js';
export {
  type Deprecation,
  type DeprecationExtras,
  type Notice,
  type NoticeAuthorship,
  noticeOf,
  REASON_CLASSES,
  type ReasonClass,
  type Replacement,
  type Revocation,
  type VersionStatus,
} from './version-status.js';
