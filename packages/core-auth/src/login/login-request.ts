/**
 * Which way does this body log in, and is it all there? Dispatch (LOGIN-2): a field is present when its key
 * is in the body, whatever its value. Nothing is decoded or believed here.
 */
import type { PresentedNonce } from '../access-list/decide-reauthentication.js';
import { AuthError } from '../errors.js';

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
 *   `field_invalid` for a nonce that is no text.
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

/** @throws AuthError `field_invalid` for a nonce that is no text. */
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
