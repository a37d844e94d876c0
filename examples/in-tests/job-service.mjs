/** A service as somebody might write it: hands out jobs to instances that have logged in. Its ports come from outside. */
import { createAuthMethod } from '@postern/core-auth';

/**
 * @param {import('@postern/core-auth').AuthPorts} ports
 * @param {import('@postern/core-auth').AuthOptions} options
 */
export function createJobService(ports, options = {}) {
  const auth = createAuthMethod(ports, { defaultTtlSeconds: 3600, maxTtlSeconds: 86_400, ...options });

  return {
    /** To be called once at start. */
    prepare: () =>
      auth.roles.write('worker', { auth_type: 'ec2', bound_ami_id: 'ami-worker', token_policies: ['jobs'] }),

    /** @param {string} pkcs7 @param {string} [nonce] */
    async login(pkcs7, nonce) {
      const { auth: granted } = await auth.login({ role: 'worker', pkcs7, ...(nonce === undefined ? {} : { nonce }) });
      return { token: granted.client_token, nonce: granted.metadata['nonce'] };
    },

    /** @param {string} token @throws {import('@postern/core-auth').AuthError} `permission_denied` */
    async nextJob(token) {
      await auth.withToken(token).tokens.lookupSelf();
      return 'sweep the yard';
    },
  };
}
