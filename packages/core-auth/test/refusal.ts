/** What tests expect of refused evidence: the one code that callers see, and the reason that the audit event carries. */
import { isAuthError } from '../src/errors.js';

/** Reason of the `evidence_unverified` that `act` throws; `accepted` when it throws nothing. Other errors pass through. */
export async function refusalOf(act: () => unknown): Promise<string | undefined> {
  try {
    await act();
  } catch (error) {
    if (isAuthError(error) && error.code === 'evidence_unverified') return error.reason;
    throw error;
  }
  return 'accepted';
}
