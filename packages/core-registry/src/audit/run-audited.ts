/**
 * One audit event for every command, every download and every refused call (AUDIT-1), never with a token in it. Other reads
 * that succeed leave none: a client that installs a module makes several. The event of a change is committed with it (AUDIT-6).
 */
import { type AuditOutbox, foldRefusals, isAuditUnavailable, openCallTrail, type TrailStep } from '@postern/kernel';
import type { AuditOutcome, Clock, CommitResult, Operation } from '@postern/ports';
import { isAddressPart } from '../addresses/address.js';
import type { RegistryErrorKind } from '../error-codes.js';
import { RegistryError } from '../errors.js';
import { OPERATIONS, type OperationId } from '../operations.js';
import type { RegistryCall } from '../results.js';
import { toRegistryError } from '../to-registry-error.js';
import { parseVersion } from '../versions/version.js';

const OUTCOMES: Readonly<Record<RegistryErrorKind, AuditOutcome>> = {
  unauthorized: 'denied',
  not_found: 'denied',
  invalid: 'denied',
  conflict: 'denied',
  forbidden: 'denied',
  too_large: 'denied',
  unavailable: 'unavailable',
  internal: 'failed',
};

/** What a call adds to its event while it works; later values win. */
export interface AuditFacts {
  /** Where the request names its operation only in its body: what it turned out to be. */
  readonly operation?: OperationId;
  readonly principal?: string;
  /** Not for the caller: whether the version is missing or not theirs. */
  readonly reason?: string;
  readonly details?: Readonly<Record<string, string | undefined>>;
}

export type Annotate = (facts: AuditFacts) => void;

/** What an operation may do with the event of its call. */
export interface Trail {
  readonly annotate: Annotate;
  /** Commits a change together with its event: what was noted until now, ended well. */
  commit(operations: readonly Operation[], step?: TrailStep<AuditFacts>): Promise<CommitResult>;
  /** Before work is begun whose commit comes much later. @throws RegistryError `audit_unavailable` (AUDIT-7). */
  requireRoom(): Promise<void>;
}

/** A call without its token: all that the audit may see of it. */
export type AuditedCall = Omit<RegistryCall, 'token'>;

/** The parts of an address as the caller sent them. */
export interface AskedAddress {
  readonly namespace?: string | undefined;
  readonly module?: string;
  readonly provider?: string;
  readonly version?: string;
}

export type RunAudited = <T>(
  id: OperationId,
  asked: AskedAddress,
  call: AuditedCall,
  work: (trail: Trail) => Promise<T>,
) => Promise<T>;

/** Reads whose success is recorded too. */
const RECORDED_READS: ReadonlySet<OperationId> = new Set(['registry.version.archive']);

/** @throws RegistryError whatever `work` throws; `audit_unavailable` where the event was not recorded. */
export function createRunAudited(outbox: AuditOutbox, clock: Clock): RunAudited {
  const folded = { record: foldRefusals(outbox).record, commit: outbox.commit };

  return async (id, asked, call, work) => {
    const facts: AuditFacts[] = [];
    let opened: ReturnType<typeof openCallTrail<AuditFacts, RegistryError>> | undefined;
    // Most calls are reads that leave no event.
    const trail = () =>
      (opened ??= openCallTrail<AuditFacts, RegistryError>(
        folded,
        ({ facts: more, error }) => {
          const all = more === undefined ? facts : [...facts, more];
          const { principal, reason, operation = id }: AuditFacts = Object.assign({}, ...all);
          return {
            time: clock.now(),
            requestId: call.requestId,
            operation,
            outcome: error === undefined ? 'allowed' : OUTCOMES[error.kind],
            code: error?.code,
            reason: error === undefined ? undefined : reason,
            principal,
            peerAddress: call.peerAddress,
            details: compact(Object.assign(recordableAddress(asked), ...all.map(({ details }) => details))),
          };
        },
        call.signal === undefined ? {} : { signal: call.signal },
      ));
    const record = (error?: RegistryError) =>
      trail()
        .record(error)
        .catch((cause: unknown) => {
          throw unavailable(cause);
        });
    try {
      const result = await work({
        annotate: (more) => facts.push(more),
        commit: (operations, step) => translated(() => trail().commit(operations, step)),
        requireRoom: () => translated(outbox.requireRoom),
      });
      if (OPERATIONS[id].action === 'manage' || RECORDED_READS.has(id)) await record();
      return result;
    } catch (thrown) {
      const error = toRegistryError(thrown, call.signal);
      if (error.code !== 'audit_unavailable') await record(error);
      throw error;
    }
  };
}

/** Refused changes (AUDIT-7) as errors of the registry. */
async function translated<T>(call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw isAuditUnavailable(error) ? unavailable(error) : error;
  }
}

function unavailable(cause: unknown): RegistryError {
  return new RegistryError('audit_unavailable', 'the audit event could not be recorded', {
    cause,
    retryAfterSeconds: 1,
  });
}

/** A malformed part is not repeated: it may be a token that somebody pasted in its place (THREAT-36). */
function recordableAddress(asked: AskedAddress): Readonly<Record<string, string | undefined>> {
  const parts = Object.entries(asked).map(([name, text]) => {
    const isSound = name === 'version' ? parseVersion(text) !== undefined : isAddressPart(text);
    return [name, text === undefined || isSound ? text : '(malformed)'] as const;
  });
  return Object.fromEntries(parts);
}

/** Without undefined members; undefined where none is left. */
function compact(details: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> | undefined {
  const given = Object.entries(details).flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]));
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
