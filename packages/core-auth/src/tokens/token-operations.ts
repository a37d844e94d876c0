/** What can be done with a token once it is issued (TOKEN-6): look up, renew, revoke; by itself, by text, by accessor. */
import * as z from 'zod';
import { AuthError } from '../errors.js';
import { durationField } from '../fields/duration-field.js';
import { described, textField } from '../fields/fields.js';
import type { MethodContext } from '../method-context.js';
import { defineOperation, type OperationRequest } from '../operation.js';
import { authOutput } from './auth-view.js';
import { findTokenByAccessor, findTokenRecord, permissionDenied } from './authenticate.js';
import { lookupOutput, lookupView } from './lookup-view.js';
import { type RenewalFlows, renewFound, renewToken } from './renew-token.js';
import type { TokenRecord } from './token-record.js';

const increment = described(durationField, 'Lifetime to ask for, seconds or text; without one, as the role says.');
const token = described(textField, 'The token.');
const accessor = described(textField, 'Accessor of the token.');

export function createTokenOperations(context: MethodContext, flows: RenewalFlows) {
  const { ports, collections } = context;

  const tell = (text: string, record: TokenRecord) => ({ data: lookupView(text, record, ports.clock.now()) });

  /** Revoking a token that is gone succeeds (TOKEN-11). */
  async function revoke(id: string, request: OperationRequest<unknown>): Promise<{ readonly data?: undefined }> {
    if (id === '')
      throw new AuthError('token_not_revocable', 'a batch token is not revoked: it ends with its lifetime');
    request.annotate({ accessor: id });
    // Whatever its version: an accessor is never written again, and a condition would race every counted use.
    await request.commit([collections.tokens.delete(id, 'any')]);
    return {};
  }

  return [
    defineOperation({
      id: 'token.lookup-self',
      summary: "Tell the caller's token",
      verb: 'read',
      scope: 'token',
      path: 'lookup-self',
      access: 'token',
      fields: z.object({}),
      output: lookupOutput,
      async handle({ caller }) {
        const own = requireCaller(caller);
        return tell(own.token, own.record);
      },
    }),
    defineOperation({
      id: 'token.renew-self',
      summary: "Renew the caller's token",
      verb: 'write',
      scope: 'token',
      path: 'renew-self',
      access: 'token',
      fields: z.object({ increment }),
      auth: authOutput,
      async handle(request) {
        const own = requireCaller(request.caller);
        const wish = { incrementSeconds: request.fields.increment, holder: { address: request.peerAddress } };
        return renewFound(context, flows, own, wish, request);
      },
    }),
    defineOperation({
      id: 'token.revoke-self',
      summary: "Revoke the caller's token",
      verb: 'write',
      scope: 'token',
      path: 'revoke-self',
      access: 'token',
      fields: z.object({}),
      async handle(request) {
        return revoke(requireCaller(request.caller).record.accessor, request);
      },
    }),
    defineOperation({
      id: 'token.lookup',
      summary: 'Tell a token by its text',
      verb: 'write',
      scope: 'token',
      path: 'lookup',
      access: 'management',
      fields: z.object({ token }),
      output: lookupOutput,
      async handle(request) {
        const text = requireField(request.fields.token, 'token');
        request.annotate({ token: text });
        const record = requireToken(await findTokenRecord(context, text, request));
        request.annotate({ accessor: record.accessor });
        return tell(text, record);
      },
    }),
    defineOperation({
      id: 'token.renew',
      summary: 'Renew a token by its text',
      verb: 'write',
      scope: 'token',
      path: 'renew',
      access: 'management',
      fields: z.object({ token, increment }),
      auth: authOutput,
      async handle(request) {
        const text = requireField(request.fields.token, 'token');
        request.annotate({ token: text });
        const wish = { incrementSeconds: request.fields.increment, holder: undefined };
        return renewToken(context, flows, text, wish, request);
      },
    }),
    defineOperation({
      id: 'token.revoke',
      summary: 'Revoke a token by its text',
      verb: 'write',
      scope: 'token',
      path: 'revoke',
      access: 'management',
      fields: z.object({ token }),
      async handle(request) {
        const text = requireField(request.fields.token, 'token');
        request.annotate({ token: text });
        const found = await findTokenRecord(context, text, request);
        return found === undefined ? {} : revoke(found.accessor, request);
      },
    }),
    defineOperation({
      id: 'token.lookup-accessor',
      summary: 'Tell a token by its accessor, without its text',
      verb: 'write',
      scope: 'token',
      path: 'lookup-accessor',
      access: 'management',
      fields: z.object({ accessor }),
      output: lookupOutput,
      async handle(request) {
        const id = requireField(request.fields.accessor, 'accessor');
        const { value: record } = requireToken(await findTokenByAccessor(context, id, request));
        request.annotate({ accessor: record.accessor });
        return tell('', record);
      },
    }),
    defineOperation({
      id: 'token.revoke-accessor',
      summary: 'Revoke a token by its accessor',
      verb: 'write',
      scope: 'token',
      path: 'revoke-accessor',
      access: 'management',
      fields: z.object({ accessor }),
      async handle(request) {
        const id = requireField(request.fields.accessor, 'accessor');
        const found = await findTokenByAccessor(context, id, request);
        return found === undefined ? {} : revoke(found.id, request);
      },
    }),
  ];
}

/** The host has no token of its own: "self" means nothing to it. */
function requireCaller(caller: OperationRequest<unknown>['caller']) {
  if (caller === undefined) throw permissionDenied('token_missing');
  return caller;
}

/** @throws AuthError `field_missing` */
export function requireField(value: string | undefined, field: string): string {
  if (value === undefined || value === '') {
    throw new AuthError('field_missing', `${field}: is required`, { details: { field } });
  }
  return value;
}

function requireToken<T>(found: T | undefined): T {
  if (found === undefined) throw new AuthError('token_not_found', 'token not found or expired');
  return found;
}
