/** The auth method, wired: ports and options in, one object out. Nothing is decided here. */

import { createKeyedSerializer, createUuid } from '@postern/kernel';
import { createHostFace, createTokenFace } from './api/typed-face.js';
import { createAuditTrail } from './audit/audit-trail.js';
import type { AuthMethod } from './auth-method-api.js';
import { checkPorts } from './check-ports.js';
import { createTrustStoreLoader } from './config/trust-store-loader.js';
import { createDispatch, createRefusalRecorder } from './dispatch.js';
import { toAuthError } from './errors.js';
import { certificateWarnings, refusedCertificates } from './evidence/identity-document/certificate-warnings.js';
import { createTidy } from './maintenance/tidy.js';
import { createMethodContext } from './method-context.js';
import { createOperations } from './operations.js';
import type { AuthOptions, AuthPorts } from './options.js';
import { createRootToken } from './root-token.js';
import { findTokenHolder } from './tokens/authenticate.js';
import { certificateWarningText, refusedCertificateText } from './warning-text.js';

/**
 * Makes the auth method. Nothing is read or written before the first call; the ports stay the host's to close.
 *
 * @throws TypeError that names a missing port, or an option that is out of range.
 * @example
 * ```ts
 * const method = createAuthMethod({ storage, crypto: createNodeCrypto(), cloud: createAwsProvider({ … }), audit });
 * await method.roles.write('web', { auth_type: 'ec2', bound_region: 'us-east-1', token_policies: ['web'] });
 * const { auth } = await method.login({ role: 'web', pkcs7 });
 * ```
 */
export function createAuthMethod(given: AuthPorts, options: AuthOptions = {}): AuthMethod {
  const ports = checkPorts(given);
  const context = createMethodContext(ports, options);
  const loadTrustStore = createTrustStoreLoader(context);
  const tidy = createTidy(context);
  const operations = createOperations({ context, loadTrustStore, serializer: createKeyedSerializer(), tidy });
  const openTrail = createAuditTrail(context);
  const dispatch = createDispatch(context, operations, openTrail);
  const face = { operations, dispatch, createRequestId: () => createUuid(ports.crypto) };
  return {
    ...createHostFace(face),
    mountPath: context.options.mountPath,
    operations,
    withToken: (token, caller = {}) => createTokenFace(face, token, caller),
    handle: dispatch.remote,
    recordRefusal: createRefusalRecorder(operations, openTrail),
    handleAsHost: (call) => dispatch.host({ ...call, token: undefined }),
    useToken: (token, call) => findTokenHolder(context, token, call),
    createRootToken: () => createRootToken(context, openTrail),
    async runPeriodicTidy() {
      try {
        await tidy.runPeriodic();
      } catch (error) {
        throw toAuthError(error, undefined);
      }
    },
    settled: () => tidy.settled(),
    close: () => tidy.close(),
    async warnings() {
      try {
        const trustStore = await loadTrustStore();
        return [
          ...certificateWarnings(trustStore, ports.clock.now()).map(certificateWarningText),
          ...refusedCertificates(trustStore).map(refusedCertificateText),
        ];
      } catch (error) {
        throw toAuthError(error, undefined);
      }
    },
  };
}
