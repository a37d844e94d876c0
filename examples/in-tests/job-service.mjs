/** A service as somebody might write it: hands out jobs to instances that have logged in. Its ports come from outside. */
import { createAuthMethod } from '@postern/core-auth';

/**
 * @param {import('@postern/core-auth').AuthPorts} ports
 * @param {import('@postern/core-auth').AuthOptions} options
 */
export function createJobService(ports, options = {}) {
  const method = createAuthMethod(ports, { defaultTtlSeconds: 3600, maxTtlSeconds: 86_400, ...options });
  const call = () => ({ requestId: crypto.randomUUID(), peerAddress: undefined, params: {} });
  const role = { auth_type: 'ec2', bound_ami_id: 'ami-worker', token_policies: 'jobs' };

  return {
    /** To be called once at start. */
    prepare: () => method.callAsHost({ ...call(), operation: 'role.write', params: { role: 'worker' }, fields: role }),

    /** @param {string} pkcs7 @param {string} [nonce] */
    async login(pkcs7, nonce) {
      const fields = { role: 'worker', pkcs7, ...(nonce === undefined ? {} : { nonce }) };
      const { auth } = await method.call({ ...call(), operation: 'login', fields, token: undefined });
      if (auth === undefined) throw new TypeError('a login answered without auth');
      return { token: auth.client_token, nonce: auth.metadata['nonce'] };
    },

    /** @param {string} token @throws {import('@postern/core-auth').AuthError} `permission_denied` */
    async nextJob(token) {
      await method.call({ ...call(), operation: 'token.lookup-self', fields: {}, token });
      return 'sweep the yard';
    },
  };
}
