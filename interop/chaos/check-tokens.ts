/** Tokens (TOKEN-2, TOKEN-7, TOKEN-11): valid from the answer that brought them to their end, everywhere, and never after. */
import { describe, groupBy, type Operation, type Outcome, type Violation } from './history.js';

/** Lifetimes are whole seconds; what is answered at the edge proves nothing. */
const EDGE_MS = 1_500;
/** How long after its start a renewal of unknown outcome can still come through. */
const LATE_MS = 60_000;

export function checkTokens(operations: readonly Operation[]): readonly Violation[] {
  const groups = groupBy(operations, ({ token }) => token);
  return [...groups.values()].flatMap((group) => {
    const issued = group.find(({ kind, outcome }) => kind === 'login' && outcome === 'done');
    return issued === undefined ? [] : checkToken(issued, group);
  });
}

function checkToken(issued: Operation, group: readonly Operation[]): readonly Violation[] {
  const violations: Violation[] = [];
  const renewals = group.filter(({ kind }) => kind === 'renew');
  const revocations = group.filter(({ kind, outcome }) => kind === 'revoke' && isApplied(outcome));
  const uses = group.filter(({ kind, outcome }) => kind !== 'login' && (outcome === 'done' || outcome === 'refused'));
  const rejections = uses.filter(isRejection);
  const say = (use: Operation, what: string) => violations.push({ at: use.end, what: `${what}: ${describe(use)}` });

  for (const use of uses) {
    const revokedBefore = revocations.some(({ outcome, end }) => outcome === 'done' && end < use.start);
    const mayBeRevoked = revocations.some(({ start }) => start < use.end);
    if (isRejection(use)) {
      if (!mayBeRevoked && use.end < goodUntil(issued, renewals, use)) say(use, 'an acknowledged token was lost');
    } else if (use.outcome === 'done') {
      if (revokedBefore) say(use, 'a revoked token was accepted');
      if (use.start > endedAt(issued, renewals)) say(use, 'an expired token was accepted');
      if (rejections.some(({ end }) => end < use.start)) say(use, 'a token that had been rejected was accepted');
    }
  }
  return violations;
}

/** Of the token itself, not of what it asked for. */
function isRejection({ status, outcome }: Operation): boolean {
  return outcome === 'refused' && status === 403;
}

/** Or may be. */
function isApplied(outcome: Outcome): boolean {
  return outcome === 'done' || outcome === 'unknown';
}

/** Until then it must be accepted: of all that was acknowledged before the use began. */
function goodUntil(issued: Operation, renewals: readonly Operation[], use: Operation): number {
  const known = renewals.filter(({ outcome, end }) => outcome === 'done' && end < use.start);
  // The last one that cannot have come before another counts; any other renewal may have shortened the lifetime.
  const others = renewals.filter(({ outcome, start }) => isApplied(outcome) && start < use.end);
  const bases = known.length === 0 ? [issued, ...others] : others.filter(({ end }) => end >= lastStart(known));
  return (
    Math.min(...bases.map(({ start, ttlSeconds = issued.ttlSeconds ?? 0 }) => start + ttlSeconds * 1000)) - EDGE_MS
  );
}

function lastStart(known: readonly Operation[]): number {
  return Math.max(...known.map(({ start }) => start));
}

/** From then on it must be rejected. */
function endedAt(issued: Operation, renewals: readonly Operation[]): number {
  const ends = [issued, ...renewals.filter(({ outcome }) => isApplied(outcome))].map(
    ({ outcome, start, end, ttlSeconds = issued.ttlSeconds ?? 0 }) =>
      (outcome === 'unknown' ? Math.max(end, start + LATE_MS) : end) + ttlSeconds * 1000,
  );
  return Math.max(...ends) + EDGE_MS;
}
