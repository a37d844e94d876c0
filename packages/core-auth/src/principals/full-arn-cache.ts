/**
 * The full ARN, path included, of a principal that STS names without it: what patterns are matched against (PRINCIPAL-3,
 * PROVIDER-2, THREAT-28: in CVE-2025-11621 and CVE-2025-59048 such an answer came from another account).
 * One lookup a principal, remembered for as long as somebody asks within a week. Only an answer that names the very
 * principal is remembered: no failure, no denial.
 *
 * And whether a principal still exists, for renewals (RENEW-3), which bring no proof of it: asked once an hour.
 */
import { createBoundedCache, createSingleFlight } from '@postern/kernel';
import type { EpochMillis, PrincipalDirectory } from '@postern/ports';
import type { CallContext } from '../call.js';
import { callProvider } from '../call-provider.js';
import { isAuthError } from '../errors.js';
import { canonicalArn, parseArn } from '../evidence/arn.js';
import type { MethodContext } from '../method-context.js';
import { refuse } from '../refuse.js';
import { CLIENT_CONFIG_ID } from '../store/collection.js';
import type { FullArns, Principal } from './principal.js';

export interface FullArnLimits {
  readonly maxEntries: number;
  /** Since the last use. */
  readonly maxIdleMs: number;
  /** How long a proof or an answer that the principal exists counts for renewals. */
  readonly maxUnconfirmedMs: number;
}

const LIMITS: FullArnLimits = { maxEntries: 10_000, maxIdleMs: 7 * 86_400_000, maxUnconfirmedMs: 3_600_000 };

/** A renewal asks nothing of a provider that does not let this server ask: what it admits needs no answer. */
const MAY_NOT_ASK = new Set<string>(['provider_denied', 'provider_misconfigured', 'account_not_allowed']);

type Found = Awaited<ReturnType<PrincipalDirectory['describePrincipal']>>;

export function createFullArns(context: MethodContext, limits: FullArnLimits = LIMITS): FullArns {
  const { ports } = context;
  const cache = createBoundedCache<string, { readonly arn: string; usedAt: EpochMillis }>(limits.maxEntries);
  const lookups = createSingleFlight<Found>();
  const confirmedAt = createBoundedCache<string, EpochMillis>(limits.maxEntries);

  const keyOf = async (principal: Principal, call: CallContext) =>
    `${await providerVersion(context, principal.accountId, call)} ${nameOf(principal)}`;

  async function lookUp(key: string, principal: Principal, call: CallContext): Promise<string> {
    const { partition, accountId, type, name } = principal;
    const query = { partition, accountId, type, name };
    const ask = (signal: AbortSignal) => ports.cloud.describePrincipal(query, { signal });
    const found = await callProvider(() => lookups.run(`${key} ${type} ${name}`, ask, call.signal));
    if (found === undefined) throw refuse('principal_not_found');
    if (found.uniqueId !== principal.uniqueId || !isArnOf(principal, found.arn)) throw refuse('principal_mismatch');
    return found.arn;
  }

  return {
    async find(principal, call) {
      const key = await keyOf(principal, call);
      const now = ports.clock.now();
      const known = cache.get(key);
      if (known !== undefined && now - known.usedAt < limits.maxIdleMs && isArnOf(principal, known.arn)) {
        known.usedAt = now;
        return known.arn;
      }
      const arn = await lookUp(key, principal, call);
      cache.set(key, { arn, usedAt: now });
      return arn;
    },
    confirmed(principal) {
      confirmedAt.set(nameOf(principal), ports.clock.now());
    },
    async confirm(principal, call) {
      const now = ports.clock.now();
      const last = confirmedAt.get(nameOf(principal));
      // A clock that was set back does not make an answer last.
      if (last !== undefined && now >= last && now - last <= limits.maxUnconfirmedMs) return;
      const key = await keyOf(principal, call);
      try {
        const arn = await lookUp(key, principal, call);
        cache.set(key, { arn, usedAt: now });
      } catch (error) {
        if (!isAuthError(error) || !MAY_NOT_ASK.has(error.code)) {
          cache.delete(key);
          throw error;
        }
      }
      confirmedAt.set(nameOf(principal), now);
    },
  };
}

function nameOf({ partition, accountId, uniqueId }: Principal): string {
  return `${partition} ${accountId} ${uniqueId}`;
}

/**
 * What is configured about the provider is part of every key: when an operator changes it, in this process or another,
 * nothing that was learned before counts any more.
 */
async function providerVersion({ collections }: MethodContext, accountId: string, call: CallContext): Promise<string> {
  const [client, association] = await Promise.all([
    collections.clientConfig.get(CLIENT_CONFIG_ID, call),
    collections.stsAssociations.get(accountId, call),
  ]);
  return JSON.stringify([client?.version ?? null, association?.version ?? null]);
}

/** Partition, account, type and name; of a user, which STS names in full, the path as well. */
function isArnOf(principal: Principal, fullArn: string): boolean {
  if (principal.type === 'user') return fullArn === principal.stsArn;
  const arn = parseArn(fullArn);
  return arn?.type === 'role' && canonicalArn(arn) === principal.canonicalArn;
}
