/** What tests of Postern, and of programs that embed it, stand on: contract suites, clocks, faults. */
export { createManualClock, type ManualClock } from './clock/manual-clock.js';
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
export { sharedFolder } from './shared-folder.js';
