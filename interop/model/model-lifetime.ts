/** The arithmetic of lifetimes (TOKEN-2), a second time and on its own. Seconds. */
import { MOUNT_DEFAULT_TTL, MOUNT_MAX_TTL, type ModelRole } from './model-state.js';

export interface LifetimeFacts {
  /** As it stands now. */
  readonly role: Pick<ModelRole, 'ttl' | 'maxTtl' | 'period'>;
  readonly tagMaxTtl: number;
  /** As it stood at the login. */
  readonly explicitMaxTtl: number;
  /** Epoch milliseconds. */
  readonly issuedAt: number;
  /** What a renewal asks for; zero for nothing in particular. */
  readonly increment?: number;
}

/** @returns undefined where nothing is left. */
export function lifetime(facts: LifetimeFacts, now: number): number | undefined {
  const { role, tagMaxTtl, explicitMaxTtl, issuedAt, increment = 0 } = facts;
  const greatest = Math.min(...[MOUNT_MAX_TTL, role.maxTtl, tagMaxTtl, explicitMaxTtl].filter((cap) => cap > 0));
  const age = Math.ceil((now - issuedAt) / 1000);
  if (role.period > 0) {
    const left = explicitMaxTtl > 0 ? explicitMaxTtl - age : Number.MAX_SAFE_INTEGER;
    return positive(Math.min(role.period, greatest, left));
  }
  const asked = increment > 0 ? increment : role.ttl > 0 ? role.ttl : MOUNT_DEFAULT_TTL;
  return positive(Math.min(asked, greatest - age));
}

function positive(seconds: number): number | undefined {
  return seconds >= 1 ? seconds : undefined;
}
