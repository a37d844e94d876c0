/** The ports of Postern: what its cores ask of their surroundings, and how each may fail. Imports nothing. */
export type { AuditEvent, AuditOutcome, AuditSink } from './audit.js';
export type { AuthorizationRequest, Authorizer, Capability } from './authorizer.js';
export type { BlobStore, OpenBlob, StoredBlob } from './blob-store.js';
export type { Clock, ClockGuard, EpochMillis } from './clock.js';
export type {
  AccessKeyPair,
  AccessKeys,
  CallerIdentityAnswer,
  CallerIdentityRequest,
  CallerIdentitySource,
  Cloud,
  InstanceDirectory,
  InstanceFacts,
  InstanceQuery,
  PrincipalDirectory,
  PrincipalQuery,
  ProfileDirectory,
  ProfileQuery,
  ProfileRole,
} from './cloud.js';
export type {
  Cipher,
  Cryptography,
  Digest,
  DigestAlgorithm,
  Hmac,
  RandomSource,
  SignatureAlgorithm,
  SignatureVerifier,
} from './crypto.js';
export { type KeyRange, keyRange } from './key-range.js';
export type { KeyWrapper } from './key-wrapper.js';
export type {
  ArchiveFormat,
  ListedModule,
  ModuleAddress,
  ModuleArchive,
  ModuleArchiveFacts,
  ModuleCatalogue,
  ModuleContents,
  ModuleDependency,
  ModuleInput,
  ModuleOutput,
  ModulePage,
  ModuleResource,
  ModuleSearch,
  ModuleVersionAddress,
  ModuleVersionDetails,
  ModuleVersionFacts,
  ModuleVersionSummary,
  ProviderDependency,
} from './module-catalogue.js';
export {
  type ArchivePlace,
  isModuleArchiveError,
  ModuleArchiveError,
  type ModuleArchiveErrorCode,
  type ModulePublication,
  type ModulePublisher,
  type PublisherCall,
} from './module-publisher.js';
export {
  isProviderError,
  ProviderError,
  type ProviderErrorCode,
  type ProviderErrorOptions,
} from './provider-error.js';
export type {
  RateExchange,
  RateLimiter,
  RateLimits,
  RateTaking,
  RateVerdict,
  SharedBucket,
} from './rate-limiter.js';
export type { RegistryAction, RegistryAuthorizer, RegistryCaller, TokenUse } from './registry-authorizer.js';
export type { ModuleVersionState, RegistryEvent, RegistryEventSink } from './registry-events.js';
export type { Awaitable, CallOptions } from './shared.js';
export type {
  AppendOperation,
  CommitResult,
  ExpiredPage,
  ExpiredPosition,
  ListedRecord,
  ListPage,
  ListQuery,
  LogEntry,
  LogPosition,
  Operation,
  Precondition,
  RecordOperation,
  Storage,
  StoredRecord,
  Version,
} from './storage.js';
export type { StorageSnapshot, StoredItem } from './storage-dump.js';
export {
  isConflict,
  isStorageError,
  StorageError,
  type StorageErrorCode,
  type StorageErrorOptions,
  type StorageFault,
} from './storage-error.js';
export { STORAGE_LIMITS } from './storage-limits.js';
export {
  checkGetMany,
  checkKey,
  checkList,
  checkListExpired,
  checkOperations,
  checkReadLog,
  checkRemoveFromLog,
  checkSignal,
  compareExpired,
  compareUtf8,
  preconditionHolds,
  StorageGate,
  utf8Length,
} from './storage-validation.js';
export { systemClock } from './system-clock.js';
export { systemRandom } from './system-random.js';
export type { TokenGrant, TokenIssuer } from './token-issuer.js';
