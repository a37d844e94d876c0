/** A `KeyWrapper` on a symmetric key of AWS KMS (STORE-4). The SDK is imported at the first call. */
import type { KMSClient } from '@aws-sdk/client-kms';
import { type CallOptions, type KeyWrapper, ProviderError, systemClock } from '@postern/ports';
import { loadKms } from '../sdk/load-sdk.js';
import { toProviderError } from '../sdk/sdk-error.js';

export interface KmsKeyWrapperOptions {
  /** Id, ARN or alias of a symmetric encryption key. It is stored with every data key: keep the spelling. */
  readonly keyId: string;
  /** Default: that of the environment. */
  readonly region?: string | undefined;
  /** For tests and private endpoints. */
  readonly endpoint?: string | undefined;
}

const TIMEOUT_MS = 10_000;
/** Errors that say that the ciphertext is not of this key, or of another context. */
const NOT_OURS: ReadonlySet<string> = new Set(['InvalidCiphertextException', 'IncorrectKeyException']);

/** No such key, or one that is disabled, deleted or of another kind: an operator must act. */
const UNUSABLE: ReadonlySet<string> = new Set([
  'DisabledException',
  'InvalidKeyUsageException',
  'KMSInvalidStateException',
  'NotFoundException',
]);

function failureOf(error: unknown, what: string): ProviderError {
  const failure = toProviderError(error, what, systemClock.now());
  if (!(error instanceof Error && UNUSABLE.has(error.name))) return failure;
  const { cloudCode, cloudRequestId } = failure;
  return new ProviderError('misconfigured', `${what}: ${error.name}`, { cloudCode, cloudRequestId });
}

/**
 * Wraps data keys with KMS, under the SDK's own chain of credentials. It needs `kms:Encrypt` and `kms:Decrypt` on the key.
 *
 * @example
 * ```ts
 * const keyWrapper = createKmsKeyWrapper({ keyId: 'alias/postern', region: 'eu-west-1' });
 * ```
 */
export function createKmsKeyWrapper({ keyId, region, endpoint }: KmsKeyWrapperOptions): KeyWrapper {
  let made: KMSClient | undefined;

  /** Kept once it is there: a load that failed is tried again. */
  async function load() {
    const sdk = await loadKms();
    const where = { ...(region === undefined ? {} : { region }), ...(endpoint === undefined ? {} : { endpoint }) };
    made ??= new sdk.KMSClient({ ...where, maxAttempts: 3 });
    return { sdk, client: made };
  }

  /** Bound to the data key: KMS opens it under the same words alone, and CloudTrail shows them. */
  const contextOf = (context: string) => ({ 'postern-data-key': context });
  const within = ({ signal }: CallOptions = {}) => {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    return { abortSignal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]) };
  };

  return {
    id: `awskms:${keyId}`,
    async wrap(dataKey, context, options) {
      const { sdk, client } = await load();
      try {
        const request = { KeyId: keyId, Plaintext: dataKey, EncryptionContext: contextOf(context) };
        const { CiphertextBlob } = await client.send(new sdk.EncryptCommand(request), within(options));
        // It would be stored as the wrapped key, and the key could never be opened.
        if (CiphertextBlob === undefined)
          throw new ProviderError('unavailable', 'kms:Encrypt: an answer without ciphertext');
        return CiphertextBlob;
      } catch (error) {
        throw failureOf(error, 'kms:Encrypt');
      }
    },
    async unwrap(wrapped, context, options) {
      const { sdk, client } = await load();
      try {
        const request = { KeyId: keyId, CiphertextBlob: wrapped, EncryptionContext: contextOf(context) };
        return (await client.send(new sdk.DecryptCommand(request), within(options))).Plaintext;
      } catch (error) {
        if (error instanceof Error && NOT_OURS.has(error.name)) return undefined;
        throw failureOf(error, 'kms:Decrypt');
      }
    },
  };
}
