/** AWS as Postern asks it: instances, principals, profiles, caller identity and access keys, over AWS SDK v3 and undici. */
export { type AwsProvider, createAwsProvider } from './create-aws-provider.js';
export { createKmsKeyWrapper, type KmsKeyWrapperOptions } from './keys/kms-key-wrapper.js';
export type {
  AwsClientConfig,
  AwsConfiguration,
  AwsCredentials,
  AwsProviderLimits,
  AwsProviderOptions,
  AwsStsAssociation,
  KeyProof,
  YoungInstanceRetry,
} from './options.js';
