/**
 * One audit event a call: what was called by whom, how it ended, nothing secret (AUDIT-1, AUDIT-2). No event, no answer: a
 * sink that fails turns the call into `audit_unavailable`, so nothing happens that nobody will hear of.
 */
import type { AuditEvent, AuditOutcome, EpochMillis } from '@postern/ports';
import type { CallContext, Refusal } from '../call.js';
import type { ErrorKind } from '../error-codes.js';
import { AuthError } from '../errors.js';
import type { MethodContext } from '../method-context.js';
import { looksLikeToken } from '../tokens/token-text.js';
import type { AuditFacts } from './audit-facts.js';
import { type AuditHash, createAuditHash } from './audit-key.js';

/** How the events of an error's kind end. */
const OUTCOMES: Readonly<Record<ErrorKind, AuditOutcome>> = {
  invalid: 'denied',
  denied: 'denied',
  forbidden: 'denied',
  not_found: 'denied',
  too_large: 'denied',
  unavailable: 'unavailable',
  misconfigured: 'unavailable',
  internal: 'failed',
};

/** The trail of one call. */
export interface CallTrail {
  note(facts: AuditFacts): void;
  /** @throws AuthError `audit_unavailable` when the event was not recorded. */
  record(error: Refusal | undefined): Promise<void>;
}

export type OpenTrail = (operation: string, call: CallContext) => CallTrail;

/** Opens trails on the sink of `context`. */
export function createAuditTrail(context: Pick<MethodContext, 'ports' | 'options'>): OpenTrail {
  const hash = createAuditHash(context);
  return (operation, call) => {
    const noted: AuditFacts[] = [];
    return {
      note: (facts) => {
        noted.push(facts);
      },
      async record(error) {
        try {
          const facts = mergeFacts(noted);
          const hashes = await hashSecrets(facts, hash, error !== undefined);
          await context.ports.audit.record(
            buildEvent(context.ports.clock.now(), operation, call, facts, error, hashes),
          );
        } catch (cause) {
          throw new AuthError('audit_unavailable', 'the audit event could not be recorded', {
            cause,
            retryAfterSeconds: 1,
          });
        }
      },
    };
  };
}

/** Later words win, detail by detail too. A token that somebody put in the place of a name is not told (THREAT-36). */
function mergeFacts(noted: readonly AuditFacts[]): AuditFacts {
  const facts: AuditFacts = Object.assign({}, ...noted);
  const details: Record<string, string> = Object.assign({}, ...noted.map((one) => one.details));
  const { role } = facts;
  return {
    ...facts,
    ...(role === undefined ? {} : { role: tellable(role) }),
    details: Object.fromEntries(Object.entries(details).map(([name, text]) => [name, tellable(text)])),
  };
}

function tellable(text: string): string {
  return looksLikeToken(text) ? '(a token)' : text;
}

type Hashes = Pick<AuditEvent, 'tokenHash' | 'nonceHash'>;

/** A call that already failed is reported even where the key cannot be had: storage that is down must not hide itself. */
async function hashSecrets({ token, nonce }: AuditFacts, hash: AuditHash, alreadyFailed: boolean): Promise<Hashes> {
  try {
    return {
      tokenHash: token === undefined ? undefined : await hash('token', token),
      nonceHash: nonce === undefined ? undefined : await hash('nonce', nonce),
    };
  } catch (error) {
    if (alreadyFailed) return {};
    throw error;
  }
}

function buildEvent(
  time: EpochMillis,
  operation: string,
  call: CallContext,
  facts: AuditFacts,
  error: Refusal | undefined,
  hashes: Hashes,
): AuditEvent {
  const { token: _token, nonce: _nonce, details = {}, ...named } = facts;
  return {
    time,
    requestId: call.requestId,
    operation,
    outcome: error === undefined ? 'allowed' : OUTCOMES[error.kind],
    code: error?.code,
    reason: error?.reason,
    peerAddress: call.peerAddress,
    ...named,
    ...hashes,
    details: Object.keys(details).length === 0 ? undefined : details,
  };
}
