/**
 * One audit event for every command and for every call that is refused (AUDIT-1), never with a token in it. Reads that
 * succeed leave none: a client that installs a module makes several. A sink that fails fails the call it reports; a change
 * that was committed stands then, and its history names who made it.
 */
import type { AuditEvent, AuditOutcome } from '@postern/ports';
import type { RegistryErrorKind } from '../error-codes.js';
import { RegistryError } from '../errors.js';
import type { RegistryPorts } from '../options.js';
import type { RegistryCall } from '../results.js';
import { toRegistryError } from '../to-registry-error.js';
import { type AskedAddress, toldAddress } from './asked-address.js';

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

/** What a call tells the event while it works: said again, later words win. */
export interface AuditFacts {
  readonly principal?: string;
  /** What the caller is not told: whether the version is missing or not theirs. */
  readonly reason?: string;
  readonly details?: Readonly<Record<string, string | undefined>>;
}

export type Note = (facts: AuditFacts) => void;

/** Facts of a call without its token: all that the audit may see of it. */
export type AuditedCall = Omit<RegistryCall, 'token'>;

export interface AuditedOperation {
  /** Operation id from the catalogue. */
  readonly id: string;
  readonly recordsSuccess: boolean;
  readonly asked: AskedAddress;
}

export type RunAudited = <T>(
  operation: AuditedOperation,
  call: AuditedCall,
  work: (note: Note) => Promise<T>,
) => Promise<T>;

/** @throws RegistryError whatever `work` throws; `audit_unavailable` where the event was not recorded. */
export function createRunAudited({ audit, clock }: Pick<RegistryPorts, 'audit' | 'clock'>): RunAudited {
  async function record(
    operation: AuditedOperation,
    call: AuditedCall,
    noted: readonly AuditFacts[],
    error: RegistryError | undefined,
  ): Promise<void> {
    try {
      await audit.record(eventOf(clock.now(), operation, call, noted, error));
    } catch (cause) {
      throw new RegistryError('audit_unavailable', 'the audit event could not be recorded', {
        cause,
        retryAfterSeconds: 1,
      });
    }
  }

  return async (operation, call, work) => {
    const noted: AuditFacts[] = [];
    try {
      const result = await work((facts) => noted.push(facts));
      if (operation.recordsSuccess) await record(operation, call, noted, undefined);
      return result;
    } catch (thrown) {
      const error = toRegistryError(thrown, call.signal);
      if (error.code !== 'audit_unavailable') await record(operation, call, noted, error);
      throw error;
    }
  };
}

function eventOf(
  time: number,
  operation: AuditedOperation,
  call: AuditedCall,
  noted: readonly AuditFacts[],
  error: RegistryError | undefined,
): AuditEvent {
  const { principal, reason }: AuditFacts = Object.assign({}, ...noted);
  const details = Object.assign(toldAddress(operation.asked), ...noted.map((facts) => facts.details));
  return {
    time,
    requestId: call.requestId,
    operation: operation.id,
    outcome: error === undefined ? 'allowed' : OUTCOMES[error.kind],
    code: error?.code,
    reason: error === undefined ? undefined : reason,
    principal,
    peerAddress: call.peerAddress,
    details: said(details),
  };
}

/** Without what was not named; undefined where nothing was. All of it is checked and bounded by whoever notes it. */
function said(details: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> | undefined {
  const named = Object.entries(details).flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]));
  return named.length === 0 ? undefined : Object.fromEntries(named);
}
