/** A `KeyWrapper` on a symmetric key of AWS KMS (STORE-4). The SDK is imported at the first call. */
import type { KMSClient } from '@aws-sdk/client-kms';
import { type KeyWrapper, ProviderError, systemClock } from '@postern/ports';
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
  if (error instanceof Error && UNUSABLE.has(error.name)) {
    return new ProviderError('misconfigured', `${what}: ${error.name}`);
  }
  return toProviderError(error, what, systemClock.now());
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
  let loading: Promise<{ readonly sdk: typeof import('@aws-sdk/client-kms'); readonly client: KMSClient }> | undefined;

  async function load() {
    const sdk = await import('@aws-sdk/client-kms');
    const where = { ...(region === undefined ? {} : { region }), ...(endpoint === undefined ? {} : { endpoint }) };
    return { sdk, client: new sdk.KMSClient({ ...where, maxAttempts: 3 }) };
  }

  /** Bound to the data key: KMS opens it under the same words alone, and CloudTrail shows them. */
  const contextOf = (context: string) => ({ 'postern-data-key': context });
  const call = () => ({ abortSignal: AbortSignal.timeout(TIMEOUT_MS) });

  return {
    id: `awskms:${keyId}`,
    async wrap(dataKey, context) {
      loading ??= load();
      const { sdk, client } = await loading;
      try {
        const request = { KeyId: keyId, Plaintext: dataKey, EncryptionContext: contextOf(context) };
        const { CiphertextBlob } = await client.send(new sdk.EncryptCommand(request), call());
        return CiphertextBlob ?? new Uint8Array();
      } catch (error) {
        throw failureOf(error, 'kms:Encrypt');
      }
    },
    async unwrap(wrapped, context) {
      loading ??= load();
      const { sdk, client } = await loading;
      try {
        const request = { KeyId: keyId, CiphertextBlob: wrapped, EncryptionContext: contextOf(context) };
        return (await client.send(new sdk.DecryptCommand(request), call())).Plaintext;
      } catch (error) {
        if (error instanceof Error && NOT_OURS.has(error.name)) return undefined;
        throw failureOf(error, 'kms:Decrypt');
      }
    },
  };
}
