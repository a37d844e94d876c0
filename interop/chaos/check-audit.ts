/**
 * No effect without its event, no event twice (AUDIT-6, AUDIT-10): the logs of all nodes against what was acknowledged, and
 * against what the storage holds at the end, whichever caller received the answer.
 */
import { CHANGES, describe, type Operation, type Violation } from './history.js';

export interface ToldEvent {
  /** Its session, which a process has alone, and a count: `<session>-17`. */
  readonly id: string;
  readonly time: string;
  readonly requestId: string;
  readonly operation: string;
  readonly outcome: string;
  readonly principal?: string;
  readonly accessor?: string;
  readonly phase?: string;
}

/** Of one node. */
export interface NodeAudit {
  /** In the order of its log. */
  readonly events: readonly ToldEvent[];
  /** When each was written, milliseconds of the histories' clock. */
  readonly writtenAt: readonly number[];
  /** When its process was killed, likewise. */
  readonly kills: readonly number[];
}

/** What the storage holds at the end. */
export interface Effects {
  readonly accessors: readonly string[];
  readonly instances: readonly string[];
  /** Events that it holds for sinks still. */
  readonly waiting: readonly ToldEvent[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Another process tells what one left that is dead for so long. Less than its lease: writes are dated by a look at the file. */
const LEASE_MS = 290_000;
/** By then another must have. */
const TAKEN_OVER_MS = 480_000;

export function checkAudit(
  operations: readonly Operation[],
  logs: readonly NodeAudit[],
  { accessors, instances, waiting, now }: Effects,
): readonly Violation[] {
  const events = [...logs.flatMap((log) => log.events), ...waiting];
  const processes = processesOf(logs);
  const at = Number.POSITIVE_INFINITY;
  const violations: Violation[] = [];
  const say = (what: string, when = at) => violations.push({ at: when, what });

  const ids = new Set<string>();
  for (const log of logs) {
    const own = new Set<string>();
    for (const [line, { id, operation }] of log.events.entries()) {
      const writtenAt = log.writtenAt[line] ?? at;
      if (own.has(id)) say(`the event ${id} (${operation}) stands twice in one log`, writtenAt);
      own.add(id);
      // A log of its own tells what a dead process told before it could say so.
      const diedAt = processes.get(sessionOf(id))?.diedAt ?? at;
      if (ids.has(id) && writtenAt < diedAt + LEASE_MS) {
        say(`the event ${id} (${operation}) of a living process was recorded by another`, writtenAt);
      }
    }
    for (const id of own) ids.add(id);
  }
  for (const { id, operation, time } of waiting) {
    const isAlive = processes.has(sessionOf(id)) && processes.get(sessionOf(id))?.diedAt === undefined;
    if (isAlive) say(`the event ${id} (${operation}) is still in the storage`);
    if (now - Date.parse(time) > TAKEN_OVER_MS)
      say(`nobody told the event ${id} (${operation}) that a dead process left`);
  }

  const allowed = events.filter(({ outcome, phase }) => outcome === 'allowed' && phase !== 'intent');
  const requests = new Set(allowed.map(({ requestId }) => requestId));
  for (const operation of operations) {
    if (operation.outcome !== 'done' || !CHANGES.has(operation.kind)) continue;
    if (operation.requestId === undefined || !requests.has(operation.requestId)) {
      say(`an acknowledged change has no event: ${describe(operation)}`, operation.end);
    }
  }
  const issued = new Set(allowed.map(({ accessor }) => accessor));
  for (const accessor of accessors) if (!issued.has(accessor)) say(`no event tells of the token ${accessor}`);
  const admitted = allowed.filter(({ operation }) => operation === 'login').map(({ principal = '' }) => principal);
  for (const instance of instances) {
    if (!admitted.some((principal) => principal.includes(instance))) say(`no event tells of the entry of ${instance}`);
  }
  return violations;
}

function sessionOf(id: string): string {
  return id.slice(0, id.lastIndexOf('-'));
}

/** By session: when it died, where it did. It is of the node whose log tells of it first. */
function processesOf(logs: readonly NodeAudit[]): ReadonlyMap<string, { readonly diedAt: number | undefined }> {
  const firsts = new Map<string, { readonly at: number; readonly kills: readonly number[] }>();
  for (const { events, writtenAt, kills } of logs) {
    for (const [line, { id }] of events.entries()) {
      const session = sessionOf(id);
      const at = writtenAt[line] ?? Number.POSITIVE_INFINITY;
      const known = firsts.get(session);
      if (known === undefined || at < known.at) firsts.set(session, { at, kills });
    }
  }
  return new Map(
    [...firsts].map(([session, { at, kills }]) => [session, { diedAt: kills.find((killed) => killed >= at) }]),
  );
}
