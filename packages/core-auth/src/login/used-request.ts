/**
 * A signed request that logged in (STS-16): its record is put in the commit of the login, if absent, so that of all processes
 * that share the storage one can use it once. Costs no round trip of its own.
 */
import { encodeHex, encodeUtf8 } from '@postern/kernel';
import type { CallOptions, Digest, Operation } from '@postern/ports';
import * as z from 'zod';
import { unverified } from '../errors.js';
import type { ReplayClaim } from '../evidence/caller-identity/replay-cache.js';
import type { Collection } from '../store/collection.js';

/** After its end, STS takes the request no more. */
export const usedRequestSchema = z.strictObject({ expiresAt: z.number() });
export type UsedRequest = Readonly<z.infer<typeof usedRequestSchema>>;

export interface RequestUse {
  /** @throws AuthError `evidence_unverified`, reason `request_replayed`: another process used it. For after a conflict. */
  requireUnused(call: CallOptions): Promise<void>;
  /** Belongs in the commit of the login. */
  readonly write: Operation;
}

/** By digest: the storage holds no signature. */
export async function useOfRequest(
  digest: Digest,
  usedRequests: Collection<UsedRequest>,
  { signature, endsAt }: Pick<ReplayClaim, 'signature' | 'endsAt'>,
): Promise<RequestUse> {
  const id = encodeHex(await digest.digest('sha256', encodeUtf8(signature)));
  return {
    async requireUnused(call) {
      if ((await usedRequests.get(id, call)) !== undefined) throw unverified('request_replayed');
    },
    write: usedRequests.put(id, { expiresAt: endsAt }, 'absent', endsAt),
  };
}
