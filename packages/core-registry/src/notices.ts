/** What consumers of modules need, without the registry and its schemas: addresses, notices, and the texts that warn. */
export { isModuleAddress, moduleText, versionId } from './addresses/address.js';
export { formatInstant } from './input/instant.js';
export {
  type DeprecationExtras,
  MAX_LINK_CHARACTERS,
  MAX_REASON_CHARACTERS,
  MAX_STATUSES,
  type Notice,
  noticeOf,
  REASON_CLASSES,
  type ReasonClass,
  type Replacement,
} from './version-status.js';
export { diagnose, type UsedVersion, type VersionDiagnostic } from './warnings/diagnose.js';
export { runText } from './warnings/run-text.js';
export { terminalLine } from './warnings/terminal-text.js';
