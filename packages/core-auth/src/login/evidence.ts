/** Step one of an `ec2` login: bytes of whoever calls become a document of an instance that AWS vouches for (DOC-1). */
import type { CallOptions } from '@postern/ports';
import type { LoadTrustStore } from '../config/trust-store-loader.js';
import type { VerifiedDocument } from '../evidence/identity-document/document.js';
import { verifyIdentitySignature } from '../evidence/identity-document/verify-identity-signature.js';
import { verifyPkcs7 } from '../evidence/identity-document/verify-pkcs7.js';
import type { MethodContext } from '../method-context.js';
import type { Ec2Evidence } from './login-operation.js';

/**
 * Proven: the provider signed this document. Not proven: that the instance still runs, or that the sender is it.
 *
 * @throws AuthError `evidence_unverified`.
 */
export async function verifyEvidence(
  { ports }: MethodContext,
  loadTrustStore: LoadTrustStore,
  evidence: Ec2Evidence,
  options: CallOptions,
): Promise<VerifiedDocument> {
  const { crypto, clock } = ports;
  const trustStore = await loadTrustStore(options);
  if (evidence.method === 'pkcs7') {
    return verifyPkcs7({ pkcs7: evidence.pkcs7, trustStore, verifier: crypto, digest: crypto, now: clock.now() });
  }
  return verifyIdentitySignature({ ...evidence, trustStore, verifier: crypto });
}
