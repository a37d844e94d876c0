/**
 * One audit event a call: what was called by whom, how it ended, nothing secret (AUDIT-1, AUDIT-2). No event, no answer: a
 * sink that fails turns the call into `audit_unavailable`, so nothing happens without a record of it.
 */

import { decodeBase64Url, encodeBase64Url, encodeUtf8, foldRefusals } from '@postern/kernel';
import { type AuditEvent, type AuditOutcome, type EpochMillis, isConflict } from '@postern/ports';
import * as z from 'zod';
import type { AuditFacts, CallContext, Refusal } from '../call.js';
import type { ErrorKind } from '../error-codes.js';
import { AuthError } from '../errors.js';
import type { MethodContext } from '../method-context.js';
import { createCollection } from '../store/collection.js';
import { looksLikeToken } from '../tokens/issue-token.js';

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
  annotate(facts: AuditFacts): void;
  /** @throws AuthError `audit_unavailable` when the event was not recorded. */
  record(error: Refusal | undefined): Promise<void>;
}

export type OpenTrail = (operation: string, call: CallContext) => CallTrail;

/** Opens trails on the sink of `context`. */
export function createAuditTrail(context: Pick<MethodContext, 'ports' | 'options'>): OpenTrail {
  const hash = createAuditHash(context);
  const sink = foldRefusals(context.ports.audit);
  return (operation, call) => {
    const noted: AuditFacts[] = [];
    return {
      annotate: (facts) => {
        noted.push(facts);
      },
      async record(error) {
        try {
          const facts = mergeFacts(noted);
          const hashes = await hashSecrets(facts, hash, error !== undefined);
          await sink.record(buildEvent(context.ports.clock.now(), operation, call, facts, error, hashes));
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
    ...(role === undefined ? {} : { role: redactTokens(role) }),
    details: Object.fromEntries(Object.entries(details).map(([name, text]) => [name, redactTokens(text)])),
  };
}

function redactTokens(text: string): string {
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

const KEY_ID = 'key';
const KEY_BYTES = 32;
const auditKeySchema = z.strictObject({ key: z.string() });

/** HMAC-SHA256, base64url. The domain keeps a token from matching a nonce of the same text. Not cut short by a caller's abort. */
export type AuditHash = (domain: 'token' | 'nonce', secret: string) => Promise<string>;

/** Hashes under the key of this installation, which is read, or made by the first process that needs it, at first use. */
export function createAuditHash(context: Pick<MethodContext, 'ports' | 'options'>): AuditHash {
  const { ports } = context;
  const keys = createCollection(context, 'audit/', auditKeySchema);
  let known: Uint8Array | undefined;

  async function readKey(): Promise<Uint8Array | undefined> {
    const entry = await keys.get(KEY_ID);
    if (entry === undefined) return undefined;
    const key = decodeBase64Url(entry.value.key);
    if (key?.length === KEY_BYTES) return key;
    throw new AuthError('internal', 'the stored audit key cannot be read', { reason: 'record_corrupt' });
  }

  async function makeKey(): Promise<Uint8Array> {
    const key = ports.crypto.bytes(KEY_BYTES);
    try {
      await ports.storage.commit([keys.put(KEY_ID, { key: encodeBase64Url(key) }, 'absent')]);
      return key;
    } catch (error) {
      // Another process was first: its key counts.
      const stored = isConflict(error) ? await readKey() : undefined;
      if (stored === undefined) throw error;
      return stored;
    }
  }

  return async (domain, secret) => {
    known ??= (await readKey()) ?? (await makeKey());
    return encodeBase64Url(await ports.crypto.hmac('sha256', known, encodeUtf8(`${domain}\0${secret}`)));
  };
}
