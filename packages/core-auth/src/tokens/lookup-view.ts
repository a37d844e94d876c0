/** What a look-up tells of a token (TOKEN-6), in the members that clients of such servers expect. */

import { formatRfc3339 } from '@postern/kernel';
import type { EpochMillis } from '@postern/ports';
import * as z from 'zod';
import type { Shown } from '../operation.js';
import type { TokenRecord } from './token-record.js';

const count = z.int().nonnegative();

/** What `lookupView` makes. */
export const lookupOutput = z.object({
  id: z.string(),
  accessor: z.string(),
  creation_time: count,
  creation_ttl: count,
  display_name: z.string(),
  entity_id: z.string(),
  expire_time: z.string().nullable(),
  explicit_max_ttl: count,
  issue_time: z.string(),
  meta: z.record(z.string(), z.string()),
  num_uses: count,
  orphan: z.boolean(),
  path: z.string(),
  policies: z.array(z.string()),
  renewable: z.boolean(),
  ttl: z.int(),
  type: z.enum(['service', 'batch']),
  period: count.optional(),
  bound_cidrs: z.array(z.string()).optional(),
  last_renewal: z.string().optional(),
  last_renewal_time: count.optional(),
});

/**
 * @param token the text that was presented, told back as `id`; empty where it was looked up by accessor.
 */
export function lookupView(token: string, record: TokenRecord, now: EpochMillis): Shown<typeof lookupOutput> {
  const { expiresAt, lastRenewedAt } = record;
  return {
    id: token,
    accessor: record.accessor,
    creation_time: Math.floor(record.issuedAt / 1000),
    creation_ttl: record.creationTtlSeconds,
    display_name: record.displayName,
    entity_id: record.entityId,
    expire_time: expiresAt === undefined ? null : formatRfc3339(expiresAt),
    explicit_max_ttl: record.explicitMaxTtlSeconds,
    issue_time: formatRfc3339(record.issuedAt),
    meta: record.metadata,
    num_uses: record.usesLeft ?? 0,
    orphan: record.parents === undefined,
    path: record.path,
    policies: record.policies,
    renewable: record.renewable,
    ttl: expiresAt === undefined ? 0 : Math.ceil((expiresAt - now) / 1000),
    type: record.type,
    ...(record.periodSeconds > 0 ? { period: record.periodSeconds } : {}),
    ...(record.boundCidrs.length > 0 ? { bound_cidrs: record.boundCidrs } : {}),
    ...(lastRenewedAt === undefined
      ? {}
      : { last_renewal: formatRfc3339(lastRenewedAt), last_renewal_time: Math.floor(lastRenewedAt / 1000) }),
  };
}
