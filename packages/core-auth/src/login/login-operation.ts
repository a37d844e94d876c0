/**
 * `POST /login` (LOGIN-1): the one operation without a token. Which way does this body log in, and is it complete (LOGIN-2)? A
 * field is present when its key is in the body, whatever its value. Nothing is decoded or believed here.
 */

import type { ReadAhead } from '@postern/kernel';
import * as z from 'zod';
import type { PresentedNonce } from '../access-list/entry.js';
import type { FlowCall } from '../call.js';
import { requireTrustedClock } from '../clock-skew.js';
import { AuthError } from '../errors.js';
import { described, textField } from '../fields/fields.js';
import type { MethodContext } from '../method-context.js';
import { defineOperation, type GrantAnswer } from '../operation.js';
import { authOutput } from '../tokens/auth-view.js';

/** The text fields of LOGIN-1, as the field parser leaves them: null is `""`, absent is absent. */
export interface LoginFields {
  readonly role?: string | undefined;
  readonly identity?: string | undefined;
  readonly signature?: string | undefined;
  readonly pkcs7?: string | undefined;
  readonly nonce?: string | undefined;
  readonly iam_http_request_method?: string | undefined;
  readonly iam_request_url?: string | undefined;
  readonly iam_request_body?: string | undefined;
  /** Text, object or array; the iam flow reads it. */
  readonly iam_request_headers?: unknown;
}

export type Ec2Evidence =
  | { readonly method: 'pkcs7'; readonly pkcs7: string }
  | { readonly method: 'identity'; readonly identity: string; readonly signature: string };

export interface Ec2LoginRequest {
  readonly authType: 'ec2';
  readonly evidence: Ec2Evidence;
  /** As sent; undefined where none was named. */
  readonly role: string | undefined;
  readonly nonce: PresentedNonce;
}

export interface IamLoginRequest {
  readonly authType: 'iam';
  readonly method: string;
  readonly url: string;
  /** Absent with a signed GET. */
  readonly body: string | undefined;
  readonly headers: unknown;
  readonly role: string | undefined;
}

export type LoginRequest = Ec2LoginRequest | IamLoginRequest;

/** A lone surrogate has no UTF-8: two such nonces would look alike once encoded. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * @throws AuthError `login_fields_missing` where no way is complete, `login_fields_ambiguous` where more than one is,
 *   `field_invalid` for a nonce that is not well-formed text.
 */
export function parseLoginRequest(fields: LoginFields): LoginRequest {
  const has = (name: keyof LoginFields): boolean => Object.hasOwn(fields, name);
  const pair = has('identity') && has('signature');
  const iam = has('iam_http_request_method') && has('iam_request_url') && has('iam_request_headers');
  const iamComplete = iam && (has('iam_request_body') || fields.iam_http_request_method === 'GET');
  const ways = [has('pkcs7'), pair, iamComplete].filter(Boolean).length;
  if (ways > 1)
    throw new AuthError('login_fields_ambiguous', 'send one proof: pkcs7, identity and signature, or iam_*');
  if (ways === 0) throw missing();

  const role = fields.role === '' ? undefined : fields.role;
  if (iamComplete) {
    return {
      authType: 'iam',
      method: fields.iam_http_request_method ?? '',
      url: fields.iam_request_url ?? '',
      body: fields.iam_request_body,
      headers: fields.iam_request_headers,
      role,
    };
  }
  return { authType: 'ec2', evidence: ec2Evidence(fields), role, nonce: presentedNonce(fields) };
}

function ec2Evidence({ pkcs7, identity, signature }: LoginFields): Ec2Evidence {
  if (pkcs7 !== undefined && pkcs7 !== '') return { method: 'pkcs7', pkcs7 };
  if (!identity || !signature) throw missing();
  return { method: 'identity', identity, signature };
}

/** @throws AuthError `field_invalid` for a nonce that is not well-formed text. */
export function presentedNonce({ nonce }: Pick<LoginFields, 'nonce'>): PresentedNonce {
  if (nonce === undefined) return { kind: 'absent' };
  if (nonce === '') return { kind: 'disabling' };
  if (LONE_SURROGATE.test(nonce)) {
    throw new AuthError('field_invalid', 'nonce: not well-formed text', { details: { field: 'nonce' } });
  }
  return { kind: 'text', text: nonce };
}

function missing(): AuthError {
  return new AuthError(
    'login_fields_missing',
    'required values missing: pkcs7, identity and signature, or the iam_* fields of a signed request',
  );
}

/** The call of a login, with room for what it reads. By name: a call of an operation has its fields too. */
export function withReadAhead(call: FlowCall): FlowCall & { readonly ahead: ReadAhead } {
  const { requestId, peerAddress, serverIdHeader, signal, annotate, commit } = call;
  return { requestId, peerAddress, serverIdHeader, signal, annotate, commit, ahead: new Map() };
}

/** How a way of logging in plugs into the one login operation: `ec2` is one, `iam` another (LOGIN-2). */
export interface LoginFlow<Request> {
  /** @throws AuthError with a code of the login group. */
  login(request: Request, call: FlowCall): Promise<GrantAnswer>;
}

export interface LoginFlows {
  readonly ec2: LoginFlow<Ec2LoginRequest>;
  /** Absent where logins of principals are not served. */
  readonly iam?: LoginFlow<IamLoginRequest> | undefined;
}

export const loginFields = z.object({
  role: described(textField, 'Role to log in against; without one, the role named after the image or principal.'),
  identity: described(textField, 'Base64 of the instance identity document; together with signature.'),
  signature: described(textField, 'Base64 of the RSA SHA-256 signature of the identity document.'),
  pkcs7: described(textField, 'PKCS#7 signature of the identity document, base64.'),
  nonce: described(textField, 'Client nonce; omitted, one is generated; empty, this is the only login.'),
  iam_http_request_method: described(textField, 'Method of the signed request.'),
  iam_request_url: described(textField, 'Base64 of the URL of the signed request.'),
  iam_request_body: described(textField, 'Base64 of the body of the signed request.'),
  iam_request_headers: described(z.json(), 'Headers of the signed request: an object, or base64 of its JSON.'),
});

export function createLoginOperation(context: Pick<MethodContext, 'ports'>, flows: LoginFlows) {
  return defineOperation({
    id: 'login',
    summary: 'Log in with a signed proof of identity and receive a token',
    verb: 'write',
    scope: 'mount',
    path: 'login',
    access: 'public',
    fields: loginFields,
    auth: authOutput,
    async handle(call) {
      requireTrustedClock(context);
      const request = parseLoginRequest(call.fields);
      if (request.authType === 'ec2') return flows.ec2.login(request, call);
      call.annotate({ authType: 'iam' });
      if (flows.iam === undefined) {
        throw new AuthError('auth_type_not_enabled', 'logins of type iam are not enabled here');
      }
      return flows.iam.login(request, call);
    },
  });
}
