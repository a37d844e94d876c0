/** The registry of Postern: module versions are deprecated, reinstated and revoked, and their consumers are warned. */
export { isModuleAddress, isVersionAddress, moduleText, versionId } from './addresses/address.js';
export type { RegistryOptions, RegistryPorts } from './context.js';
export { createRegistry } from './create-registry.js';
export { REGISTRY_ERROR_KINDS, type RegistryErrorCode, type RegistryErrorKind } from './error-codes.js';
export { isRegistryError, RegistryError, type RegistryErrorOptions } from './errors.js';
export type { DeprecationInput, InputSource, RangeInput, RevocationInput, VersionCommand } from './input/input.js';
export { formatDay, formatInstant } from './input/instant.js';
export { MAX_RANGE_VERSIONS } from './lifecycle/range-command.js';
export { COMMANDS, type Command, STATES, TRANSITIONS, type Transition } from './lifecycle/transitions.js';
export { OPERATIONS, type OperationId, type RegistryOperation } from './operations.js';
export type { Registry, RegistrySession } from './registry.js';
export type {
  Access,
  ChangeOutcome,
  CommandOutcome,
  DeprecateOutcome,
  DownloadGrant,
  HistoryEntry,
  HistoryPage,
  HistoryQuery,
  ModuleList,
  ModuleListing,
  ModuleOverview,
  ModuleQuery,
  ModuleVersionView,
  RangeChange,
  RangeOutcome,
  RegistryCall,
  VersionList,
  VersionListing,
} from './results.js';
export {
  type Deprecation,
  type DeprecationExtras,
  MAX_LINK_CHARACTERS,
  MAX_REASON_CHARACTERS,
  MAX_STATUSES,
  type Notice,
  type NoticeAuthorship,
  noticeOf,
  REASON_CLASSES,
  type ReasonClass,
  type Replacement,
  type Revocation,
  type VersionStatus,
} from './version-status.js';
export { acceptsCheckOverlay, type ClientHeaders, checkOverlay, type OverlayFile } from './warnings/check-overlay.js';
export { diagnose, type UsedVersion, type VersionDiagnostic } from './warnings/diagnose.js';
export {
  adviceOf,
  type ModuleNotice,
  moduleNotice,
  type VersionBanner,
  versionBanners,
} from './warnings/page-notice.js';
export {
  DEPRECATED_HEADING,
  DEPRECATED_LOG_HEADING,
  logText,
  REVOKED_CONTINUES_HEADING,
  REVOKED_STOPS_HEADING,
  type RunTextOptions,
  runText,
} from './warnings/run-text.js';
export { terminalLine, terminalLines } from './warnings/terminal-text.js';
