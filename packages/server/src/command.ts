/** For commands that run a server: `postern serve`, `postern root-token`, the sandbox. */
export { verifyAudit } from './audit/verify-audit.js';
export { ConfigError } from './config/config-error.js';
export { describeError } from './log.js';
export { endOnSignals, endOnUncaught } from './process-end.js';
export { revokeToken } from './root-token.js';
export { finalizeStorage, printRootToken, serve } from './serve.js';
export { forSetting, StartError } from './start-error.js';
export { backUp, restore } from './storage/backup-command.js';
export { copyStorages } from './storage/copy-command.js';
export { createTable } from './storage/open-storage.js';
export { type Terminal, terminalLog } from './terminal.js';
