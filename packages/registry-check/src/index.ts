/** The run's warning: which installed module versions their registries call deprecated or revoked (CHECK-1). */
export type { RegistryLocation } from './ask/discover.js';
export type { Problem, ProblemCode } from './ask/problem.js';
export type { Fetch } from './ask/send.js';
export { checkModules } from './check-modules.js';
export { type InstalledModule, InstalledModulesError } from './installed/installed-module.js';
export { MAX_INSTALLED_MODULES, parseInstalledModules } from './installed/parse-installed.js';
export { MAX_MANIFEST_BYTES, readInstalledModules } from './installed/read-installed.js';
export { PUBLIC_HOSTS, parseHost } from './installed/registry-source.js';
export { MAX_USED_VERSIONS } from './installed/used-versions.js';
export type { AskedRegistry, CheckedVersion, CheckOptions, ModuleCheck, UnknownVersion } from './module-check.js';
export { reportDocument } from './report/report-document.js';
export { type ReportText, reportText } from './report/report-text.js';
export { EXIT, FAIL_ON, type FailOn, type Verdict, type VerdictOptions, verdictOf } from './report/verdict.js';
export { type CliConfig, parseCliConfig } from './settings/cli-config.js';
export { ConfigSyntaxError } from './settings/parse-config-language.js';
export { type CliSettings, type CliSurroundings, readCliSettings } from './settings/read-cli-settings.js';
