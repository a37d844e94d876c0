/** The one place where a provider's failure becomes ours: "could not find out" is never a denial, and never a pass (ERROR-5). */
import { isProviderError, type ProviderError } from '@postern/ports';
import { AuthError } from './errors.js';

/** When an unavailable provider does not say when to come again. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Asks a directory port.
 *
 * @throws AuthError `provider_unavailable`, `provider_denied`, `provider_misconfigured`; `account_not_allowed`, the one
 *   that is a denial: the account of the proof is neither the server's own nor associated.
 */
export async function callProvider<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw fromProvider(error);
  }
}

/** The error of a call that failed: a provider's failure as `AuthError`, any other as it is. */
export function fromProvider(error: unknown): unknown {
  return isProviderError(error) ? authErrorOf(error) : error;
}

/** The provider's code and request id are for the audit event: the caller sees neither. */
function authErrorOf(cause: ProviderError): AuthError {
  const { cloudCode, cloudRequestId } = cause;
  const facts = {
    cause,
    ...(cloudCode === undefined
      ? {}
      : { reason: cloudRequestId === undefined ? cloudCode : `${cloudCode} (request ${cloudRequestId})` }),
  };
  switch (cause.code) {
    case 'unavailable':
      return new AuthError('provider_unavailable', 'the cloud provider is unavailable; try again', {
        ...facts,
        retryAfterSeconds: cause.retryAfterSeconds ?? RETRY_AFTER_SECONDS,
      });
    case 'denied':
      return new AuthError(
        'provider_denied',
        'the cloud provider rejected the credentials of this server; check their IAM policy',
        facts,
      );
    case 'misconfigured':
      return new AuthError('provider_misconfigured', 'access to the cloud provider is not configured', facts);
    case 'account_not_allowed':
      return new AuthError(
        'account_not_allowed',
        'the account is not associated with this server; associate it under config/sts',
        facts,
      );
  }
}
