/** Is the identity document fresh enough for the role (LOGIN-9, THREAT-14)? Documents themselves never expire. */

import { parseRfc3339 } from '@postern/kernel';
import type { EpochMillis } from '@postern/ports';

export type DocumentAgeDecision =
  | { readonly allow: true }
  | { readonly allow: false; readonly code: 'document_too_old' | 'pending_time_invalid' };

/** @param maxAgeSeconds zero: any age, and pendingTime is not even parsed. */
export function decideDocumentAge(maxAgeSeconds: number, pendingTime: string, now: EpochMillis): DocumentAgeDecision {
  if (maxAgeSeconds === 0) return { allow: true };
  const startedAt = parseRfc3339(pendingTime);
  if (startedAt === undefined) return { allow: false, code: 'pending_time_invalid' };
  return now - startedAt > maxAgeSeconds * 1000 ? { allow: false, code: 'document_too_old' } : { allow: true };
}
