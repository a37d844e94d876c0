/**
 * Who calls, and whether they may (REGAPI-8, REG-8). What a caller may not see is answered like what is not there:
 * the same error, after the same look-ups, whatever their order. Which of the two it was only the audit trail hears.
 */
import type { CallOptions, RegistryAction, RegistryAuthorizer, RegistryCaller, TokenUse } from '@postern/ports';
import type { Note } from './audit/run-audited.js';
import { RegistryError } from './errors.js';
import type { RegistryCall } from './results.js';

/** Longer ones are wrong without asking: every authorizer would have to read them. */
const MAX_TOKEN_CHARACTERS = 16 * 1024;

/** @throws RegistryError `unauthorized` */
export async function identify(
  authorizer: RegistryAuthorizer,
  call: RegistryCall,
  note: Note,
): Promise<RegistryCaller> {
  const { token } = call;
  if (token === undefined || token === '') throw unauthorized(note, 'token_missing');
  const caller = token.length > MAX_TOKEN_CHARACTERS ? undefined : await authorizer.identify(token, useOf(call));
  if (caller === undefined) throw unauthorized(note, 'token_unknown');
  note({ principal: caller.name });
  return caller;
}

function unauthorized(note: Note, reason: string): RegistryError {
  note({ reason });
  return new RegistryError('unauthorized', 'a valid token is needed');
}

function useOf(call: RegistryCall): TokenUse {
  return { ...optionsOf(call), requestId: call.requestId, peerAddress: call.peerAddress };
}

export interface AccessRequest {
  readonly caller: RegistryCaller;
  readonly namespace: string;
  readonly action: RegistryAction;
}

/**
 * Looks up what was asked for and the right to it at once, and waits for both before it says anything.
 *
 * @param lookUp undefined where there is none. Does the same whether or not the caller has the right.
 * @throws RegistryError `not_found`: not there, or not for this caller.
 */
export async function requireAccess<T>(
  authorizer: RegistryAuthorizer,
  request: AccessRequest,
  call: CallOptions,
  note: Note,
  lookUp: () => Promise<T | undefined>,
): Promise<T> {
  const [allowed, found] = await Promise.all([authorizer.isAllowed(request, optionsOf(call)), lookUp()]);
  if (!allowed) throw notFound(note, 'not_allowed');
  if (found === undefined) throw notFound(note, 'missing');
  return found;
}

export function notFound(
  note: Note,
  reason: 'not_allowed' | 'missing' | 'address_malformed' | 'not_publishable',
): RegistryError {
  note({ reason });
  return new RegistryError('not_found', 'not found');
}

/** What ports take of a call: never its token. */
export function optionsOf({ signal }: CallOptions): CallOptions {
  return signal === undefined ? {} : { signal };
}
