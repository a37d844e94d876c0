/**
 * One audit event a call: what was called by whom, how it ended, nothing secret (AUDIT-1, AUDIT-2). The event of a change is
 * committed with it (AUDIT-6); a call that changes nothing, or is refused, fails with `audit_unavailable` if its event is not
 * recorded.
 */

import {
  type AuditDraft,
  type AuditOutbox,
  decodeBase64Url,
  encodeBase64Url,
  encodeUtf8,
  foldRefusals,
  openCallTrail,
  resolveUnknownCommit,
} from '@postern/kernel';
import { type AuditEvent, type AuditOutcome, type Awaitable, type EpochMillis, isStorageError } from '@postern/ports';
import type { AuditFacts, CallContext, OpenTrail, Refusal } from '../call.js';
import type { ErrorKind } from '../error-codes.js';
import { AuthError } from '../errors.js';
import type { MethodContext } from '../method-context.js';
import { runOptimistic } from '../store/collection.js';

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

/** Opens trails on an outbox. */
export function createAuditTrail(context: MethodContext, outbox: AuditOutbox): OpenTrail {
  const hash = createAuditHash(context);
  const folded = { record: foldRefusals(outbox).record, commit: outbox.commit };
  const { clock } = context.ports;
  return (operation, call) => {
    let noted = NOTHING_NOTED;
    const trail = openCallTrail<AuditFacts, Refusal>(
      folded,
      ({ facts: more, error }) => {
        const facts = more === undefined ? noted : mergeFacts(noted, more);
        const eventWith = (hashes: Hashes) => buildEvent(clock.now(), operation, call, facts, error, hashes);
        const failed = (cause: unknown) => (error === undefined ? unrecorded(cause) : eventWith(NO_HASHES));
        try {
          const hashes = hashSecrets(facts, hash);
          return hashes instanceof Promise ? hashes.then(eventWith, failed) : eventWith(hashes);
        } catch (cause) {
          return failed(cause);
        }
      },
      call,
    );
    return {
      annotate: (facts) => {
        noted = mergeFacts(noted, facts);
      },
      async commit(operations, step) {
        const result = await trail.commit(operations, step);
        if (step?.facts !== undefined) noted = mergeFacts(noted, step.facts);
        return result;
      },
      record: (error) => trail.record(error).catch(unrecorded),
    };
  };
}

/** Storage that fails says so itself: nothing has happened, whichever of its parts could not be read. */
function unrecorded(cause: unknown): never {
  if (isStorageError(cause)) throw cause;
  throw new AuthError('audit_unavailable', 'the audit event could not be recorded', { cause, retryAfterSeconds: 1 });
}

/** Every member is there: objects of one shape are read and copied fastest. */
type NotedFacts = { readonly [Name in keyof AuditFacts]-?: AuditFacts[Name] | undefined };

const NOTHING_NOTED: NotedFacts = mergeFacts({}, {});

/** Later words win, detail by detail too. */
function mergeFacts(noted: Partial<NotedFacts>, more: AuditFacts): NotedFacts {
  return {
    role: more.role ?? noted.role,
    principal: more.principal ?? noted.principal,
    authType: more.authType ?? noted.authType,
    accessor: more.accessor ?? noted.accessor,
    token: more.token ?? noted.token,
    nonce: more.nonce ?? noted.nonce,
    changes: more.changes ?? noted.changes,
    details: mergeDetails(noted.details, more.details),
  };
}

function mergeDetails(noted: AuditFacts['details'], more: AuditFacts['details']): AuditFacts['details'] {
  return noted === undefined || more === undefined ? (more ?? noted) : Object.assign({}, noted, more);
}

type Hashes = Pick<AuditEvent, 'tokenHash' | 'nonceHash' | 'changes'>;

/** Of a call that already failed, where the key cannot be had: storage that is down must not hide itself. */
const NO_HASHES: Hashes = {};

/** At once where the key is known and the port does not wait: a login has two secrets, and a promise costs as much as a hash. */
function hashSecrets({ token, nonce, changes }: NotedFacts, hash: AuditHash): Awaitable<Hashes> {
  const tokenHash = token === undefined ? undefined : hash('token', token);
  const nonceHash = nonce === undefined ? undefined : hash('nonce', nonce);
  if (changes === undefined && !(tokenHash instanceof Promise) && !(nonceHash instanceof Promise)) {
    return { tokenHash, nonceHash };
  }
  return hashesOf([tokenHash, nonceHash, changes && hashChanges(changes, hash)]);
}

async function hashesOf(
  waiting: readonly [Awaitable<string | undefined>, Awaitable<string | undefined>, Awaitable<Hashes['changes']>],
): Promise<Hashes> {
  const [tokenHash, nonceHash, changes] = await Promise.all(waiting);
  return { tokenHash, nonceHash, changes };
}

async function hashChanges(
  changes: NonNullable<AuditFacts['changes']>,
  hash: AuditHash,
): Promise<Readonly<Record<string, string>>> {
  const told: Record<string, string> = {};
  for (const [name, change] of Object.entries(changes)) {
    if (change === 'secret') told[name] = '(secret)';
    else told[name] = 'plain' in change ? change.plain : `hmac:${await hash('value', change.hashed)}`;
  }
  return told;
}

function buildEvent(
  time: EpochMillis,
  operation: string,
  call: CallContext,
  { role, principal, authType, accessor, details = {} }: NotedFacts,
  error: Refusal | undefined,
  { tokenHash, nonceHash, changes }: Hashes,
): AuditDraft {
  return {
    time,
    requestId: call.requestId,
    operation,
    outcome: error === undefined ? 'allowed' : OUTCOMES[error.kind],
    code: error?.code,
    reason: error?.reason,
    role,
    principal,
    peerAddress: call.peerAddress,
    authType,
    tokenHash,
    nonceHash,
    accessor,
    changes,
    details: Object.keys(details).length === 0 ? undefined : details,
  };
}

const KEY_ID = 'key';
const KEY_BYTES = 32;

/** HMAC-SHA256, base64url. The domain keeps a token from matching a nonce of the same text. Not cut short by a caller's abort. */
export type AuditHash = (domain: 'token' | 'nonce' | 'value', secret: string) => Awaitable<string>;

/** Hashes under the key of this installation, which is read, or made by the first process that needs it, at first use. */
export function createAuditHash({ ports, collections }: Pick<MethodContext, 'ports' | 'collections'>): AuditHash {
  const { auditKeys } = collections;
  let known: Uint8Array | undefined;

  async function readKey(): Promise<Uint8Array | undefined> {
    const entry = await auditKeys.get(KEY_ID);
    if (entry === undefined) return undefined;
    const key = decodeBase64Url(entry.value.key);
    if (key?.length === KEY_BYTES) return key;
    throw new AuthError('internal', 'the stored audit key cannot be read', { reason: 'record_corrupt' });
  }

  /** Made by the first process that needs it: of several, the one that is stored counts. */
  const makeKey = () =>
    runOptimistic(async () => {
      const stored = await readKey();
      if (stored !== undefined) return stored;
      const key = ports.crypto.bytes(KEY_BYTES);
      const put = await auditKeys.put(KEY_ID, { key: encodeBase64Url(key) }, 'absent');
      return resolveUnknownCommit(async () => {
        await ports.storage.commit([put]);
        return key;
      }, readKey);
    });

  function hashUnder(key: Uint8Array, text: Uint8Array): Awaitable<string> {
    const mac = ports.crypto.hmac('sha256', key, text);
    return mac instanceof Promise ? mac.then(encodeBase64Url) : encodeBase64Url(mac);
  }

  return (domain, secret) => {
    const text = encodeUtf8(`${domain}\0${secret}`);
    if (known !== undefined) return hashUnder(known, text);
    return makeKey().then((key) => {
      known = key;
      return hashUnder(key, text);
    });
  };
}
