/** `POST /login` (LOGIN-1): the one operation without a token. */
import { z } from 'zod';
import { AuthError } from '../errors.js';
import { described } from '../fields/described.js';
import { textField } from '../fields/text-field.js';
import { defineOperation, type Operation } from '../operation.js';
import { authOutput } from '../tokens/auth-view.js';
import type { LoginFlow } from './login-flow.js';
import { type Ec2LoginRequest, type IamLoginRequest, parseLoginRequest } from './login-request.js';

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

export function createLoginOperation(flows: LoginFlows): Operation {
  return defineOperation({
    id: 'login',
    summary: 'Log in with a signed proof of identity and receive a token',
    verb: 'write',
    scope: 'mount',
    path: 'login',
    access: 'public',
    fields: loginFields,
    auth: authOutput,
    async handle({ fields, ...call }) {
      const request = parseLoginRequest(fields);
      if (request.authType === 'ec2') return flows.ec2.login(request, call);
      call.note({ authType: 'iam' });
      if (flows.iam === undefined) {
        throw new AuthError('auth_type_not_enabled', 'logins of type iam are not enabled here');
      }
      return flows.iam.login(request, call);
    },
  });
}
