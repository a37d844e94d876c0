/**
 * One audit event for every command and for every refused call (AUDIT-1), never with a token in it. Reads that succeed
 * leave none: a client that installs a module makes several. A sink that fails fails the call it reports; a change that
 * was committed stands then, and its history names who made it.
 */
import { foldRefusals } from '@postern/kernel';
import type { AuditEvent, AuditOutcome, AuditSink, Clock } from '@postern/ports';
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
  work: (annotate: Annotate) => Promise<T>,
) => Promise<T>;

/** @throws RegistryError whatever `work` throws; `audit_unavailable` where the event was not recorded. */
export function createRunAudited({ audit, clock }: { readonly audit: AuditSink; readonly clock: Clock }): RunAudited {
  const sink = foldRefusals(audit);

  async function record(event: AuditEvent): Promise<void> {
    try {
      await sink.record(event);
    } catch (cause) {
      throw new RegistryError('audit_unavailable', 'the audit event could not be recorded', {
        cause,
        retryAfterSeconds: 1,
      });
    }
  }

  return async (id, asked, call, work) => {
    const facts: AuditFacts[] = [];
    const eventOf = (error?: RegistryError): AuditEvent => {
      const { principal, reason, operation = id }: AuditFacts = Object.assign({}, ...facts);
      return {
        time: clock.now(),
        requestId: call.requestId,
        operation,
        outcome: error === undefined ? 'allowed' : OUTCOMES[error.kind],
        code: error?.code,
        reason: error === undefined ? undefined : reason,
        principal,
        peerAddress: call.peerAddress,
        details: compact(Object.assign(recordableAddress(asked), ...facts.map(({ details }) => details))),
      };
    };
    try {
      const result = await work((more) => facts.push(more));
      if (OPERATIONS[id].action === 'manage') await record(eventOf());
      return result;
    } catch (thrown) {
      const error = toRegistryError(thrown, call.signal);
      if (error.code !== 'audit_unavailable') await record(eventOf(error));
      throw error;
    }
  };
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
