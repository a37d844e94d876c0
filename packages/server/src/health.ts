/** What health says: whether the storage answers, and how many warnings there are (WIRE-17). */
import type { AuthMethod } from '@postern/core-auth';
import type { HealthReport } from '@postern/http';
import type { Clock, Storage } from '@postern/ports';
import type { AuditWatch } from './audit/audit-watch.js';
import type { Log } from './log.js';
import type { ServedRegistry } from './registry/served-registry.js';
import type { ClockWatch } from './storage/clock-watch.js';
import { inTime } from './storage/in-time.js';
import { VERSION } from './version.js';

/** A storage that takes longer to answer a health check counts as unreachable. */
const HEALTH_TIMEOUT_MS = 2_000;

/** Any key does: the question is whether an answer comes. */
const HEALTH_KEY = 'postern/server/health';

export async function checkHealth(
  storage: Storage,
  clock: Clock,
  methodWarnings: () => Promise<readonly string[]>,
  registry: ServedRegistry | undefined,
  clockWatch: ClockWatch,
  auditWatch: AuditWatch,
): Promise<HealthReport> {
  const about = { version: VERSION, serverTime: clock.now() };
  try {
    await inTime(HEALTH_TIMEOUT_MS, (signal) => storage.get(HEALTH_KEY, { signal }));
    const warnings = await Promise.all([methodWarnings(), registry?.warnings?.() ?? []]);
    const ofClock = clockWatch.warning();
    return {
      ...about,
      storageReachable: true,
      warnings: [...(ofClock === undefined ? [] : [ofClock]), ...auditWatch.warnings(), ...warnings.flat()],
    };
  } catch {
    return { ...about, storageReachable: false };
  }
}

/** Anybody may read health: what the method warns of names certificates and weaknesses. The log has each warning once, health how many. */
export function createMethodWarnings(method: AuthMethod, log: Log): () => Promise<readonly string[]> {
  const logged = new Set<string>();
  return async () => {
    const warnings = await method.warnings();
    for (const warning of warnings) {
      if (!logged.has(warning)) log('warning', warning);
      logged.add(warning);
    }
    if (warnings.length === 0) return [];
    return [`${warnings.length} ${warnings.length === 1 ? 'warning' : 'warnings'}: see the log of the server`];
  };
}
