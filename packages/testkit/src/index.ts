/** What tests of Postern, and of programs that embed it, stand on: contract suites, clocks, faults. */
export {
  type BlobContractCase,
  type BlobContractOptions,
  type BlobStoreUnderTest,
  blobContract,
} from './blobs/blob-contract.js';
export { createMemoryBlobStore } from './blobs/memory-blob-store.js';
export { createManualClock, type ManualClock } from './clock/manual-clock.js';
export { cryptoContractCases } from './crypto/crypto-contract.js';
export type { CryptoContractCase, CryptoImplementation, CryptoVectorCounts } from './crypto/crypto-contract-case.js';
export { createTally, type SignatureVector, type VectorTally } from './crypto/vector-tally.js';
export type {
  DirectoryMethod,
  FakeCloudCall,
  MethodBehaviour,
  Sleep,
} from './fake-cloud/behaviour.js';
export { createFakeCloud } from './fake-cloud/fake-cloud.js';
export type {
  FakeCloud,
  FakeCloudOptions,
  RegionCertificates,
  TrustedCertificate,
} from './fake-cloud/fake-cloud-types.js';
export { seededRandom } from './fake-cloud/ids.js';
export type {
  FakeInstance,
  IdentityDocument,
  InstanceState,
  LaunchOptions,
  Pkcs7Options,
} from './fake-cloud/instance-types.js';
export type { FakeInstanceProfile, FakePrincipal, PrincipalOptions } from './fake-cloud/principals.js';
export type { KeyHolder, RegionKeyKind } from './fake-cloud/region-keys.js';
export type { AttributeName, Encoding, SignedDataOptions } from './fake-cloud/signed-data-options.js';
export { type FakeImds, startFakeImds } from './fake-imds/fake-imds.js';
export type { StsVerdictCode } from './fake-sts/actions.js';
export type { AssumeRoleOptions, CredentialIssuer, FakeCredentials, TrustPolicy } from './fake-sts/credentials.js';
export { createFakeSts } from './fake-sts/fake-sts.js';
export type { FakeSts, FakeStsCall, FakeStsListener, FakeStsOptions } from './fake-sts/fake-sts-types.js';
export {
  type CallerIdentityFields,
  callerIdentityFields,
  type HeadersForm,
  type SignCallerIdentityOptions,
  type SignedCallerIdentity,
  signCallerIdentityRequest,
  signGetCallerIdentity,
} from './fake-sts/sign-get-caller-identity.js';
export { callerIdentityXml, STS_NAMESPACE, type StsAnswer, type StsIdentity } from './fake-sts/sts-answer.js';
export type { Misbehaviour, StsBehaviour } from './fake-sts/sts-behaviour.js';
export { FakeStsError, type StsErrorCode } from './fake-sts/sts-error.js';
export { regionOfStsHost, stsHostOf } from './fake-sts/sts-hosts.js';
export {
  createFixedRegistryAuthorizer,
  type FixedRegistryAuthorizer,
  type FixedRegistryToken,
} from './registry/fixed-registry-authorizer.js';
export {
  type CatalogueMethod,
  createMemoryCatalogue,
  type MemoryCatalogue,
  type MemoryModuleVersion,
} from './registry/memory-catalogue.js';
export { createModuleArchive } from './registry/module-archive.js';
export type { SigV4Refusal, SigV4RefusalCode, SigV4RefusalReason } from './sigv4/refusal.js';
export { presign, type SignedRequest, type SigningOptions, signWithHeaders } from './sigv4/sign-request.js';
export {
  type KnownKey,
  type SigV4Verdict,
  type SigV4Verified,
  type VerifierOptions,
  verifySignedRequest,
} from './sigv4/verify-request.js';
export type { HeaderList, PathRules, SigningScope, SigV4Credentials, WireRequest } from './sigv4/wire-request.js';
export { type Acknowledgement, checkCrashLoad, runCrashLoad } from './storage/crash-load.js';
export type { CommitFault, FaultPlan, ReadFault } from './storage/fault-plan.js';
export { createFaultStorage, type FaultStorage } from './storage/fault-storage.js';
export {
  type StorageContractCase,
  type StorageContractOptions,
  type StorageUnderTest,
  storageContract,
} from './storage/storage-contract.js';
