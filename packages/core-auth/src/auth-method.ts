/**
 * The auth method, wired: ports and options in, one object out. A missing or misshapen port is a TypeError here, not `internal` at the
 * first login.
 */

import {
  AUDIT_SHAPE,
  type AuditOutbox,
  CLOCK_SHAPE,
  createAuditOutbox,
  createKeyedSerializer,
  createUuid,
  formatRfc3339,
  isAuditOutbox,
  type PortShape,
  requirePorts,
  STORAGE_SHAPE,
} from '@postern/kernel';
import { systemClock } from '@postern/ports';
import { createHostFace, createTokenFace } from './api/typed-face.js';
import { createAuditTrail } from './audit/audit-trail.js';
import type { AuthMethod } from './auth-method-api.js';
import { pathTemplate, permissionsOf } from './authorize.js';
import { createTrustStoreLoader } from './config/trust-store-loader.js';
import { createDispatch } from './dispatch.js';
import { toAuthError } from './errors.js';
import type { TrustedCertificate } from './evidence/identity-document/certificate.js';
import {
  type CertificateWarning,
  certificateWarnings,
  refusedCertificates,
} from './evidence/identity-document/certificate-warnings.js';
import { createTidy } from './maintenance/tidy.js';
import { createMethodContext, type MethodContext } from './method-context.js';
import type { Operation } from './operation.js';
import { createOperations } from './operations.js';
import type { AuthOptions, AuthPorts, ResolvedAuthPorts } from './options.js';
import { createRootToken } from './root-token.js';
import { findTokenHolder } from './tokens/authenticate.js';

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
  const policyPaths: string[] = [];
  const context = createMethodContext(ports, options, () => policyPaths);
  const outbox = openOutbox(context);
  const openTrail = createAuditTrail(context, outbox);
  const loadTrustStore = createTrustStoreLoader(context);
  const tidy = createTidy(context, openTrail);
  const operations = createOperations({
    context,
    loadTrustStore,
    serializer: createKeyedSerializer(context.ports.clock),
    tidy,
  });
  policyPaths.push(...pathsOf(operations, context.options.mountPath), ...(options.policyPaths ?? []));
  context.policyBook.configure(options.policies ?? {});
  const dispatch = createDispatch(context, operations, openTrail);
  const face = { operations, dispatch, createRequestId: () => createUuid(ports.crypto) };
  return {
    ...createHostFace(face),
    mountPath: context.options.mountPath,
    operations,
    withToken: (token, caller = {}) => createTokenFace(face, token, caller),
    handle: dispatch.remote,
    recordRefusal: dispatch.recordRefusal,
    handleAsHost: (call) => dispatch.host({ ...call, token: undefined }),
    useToken: (token, call) => findTokenHolder(context, token, call, openTrail),
    async permissionsOf(policies) {
      try {
        return await permissionsOf(context, policies);
      } catch (error) {
        throw toAuthError(error, undefined);
      }
    },
    configurePolicies: (policies) => context.policyBook.configure(policies),
    createRootToken: (rootOptions) => createRootToken(context, openTrail, rootOptions),
    feedAudit: () => outbox.feed(),
    async runPeriodicTidy() {
      try {
        await outbox.feed();
        await tidy.runPeriodic();
      } catch (error) {
        throw toAuthError(error, undefined);
      }
    },
    settled: () => tidy.settled(),
    async close() {
      await tidy.close();
      // One that was given is closed by who made it.
      if (outbox !== ports.audit) await outbox.close();
    },
    async warnings() {
      try {
        const trustStore = await loadTrustStore();
        return [
          ...(ports.keyWrapper === undefined ? [UNSEALED_WARNING] : []),
          ...certificateWarnings(trustStore, ports.clock.now()).map(certificateWarningText),
          ...refusedCertificates(trustStore).map(refusedCertificateText),
        ];
      } catch (error) {
        throw toAuthError(error, undefined);
      }
    },
  };
}

const CLOUD = 'createAwsProvider(…) of @postern/provider-aws or your own Cloud';

const SHAPES: readonly PortShape[] = [
  STORAGE_SHAPE,
  CLOCK_SHAPE,
  { port: 'clockGuard', methods: ['skewMs', 'measure'], pass: 'an object with skewMs() and measure()', optional: true },
  {
    port: 'crypto',
    methods: ['supports', 'verify', 'digest', 'hmac', 'seal', 'open', 'bytes'],
    pass: 'createNodeCrypto() of @postern/crypto-node or createWebCrypto() of @postern/crypto-web',
  },
  { port: 'cloud', methods: ['describeInstance', 'rolesOfProfile', 'describePrincipal'], pass: CLOUD },
  { port: 'cloud.callerIdentity', methods: ['send'], pass: CLOUD, optional: true },
  { port: 'cloud.accessKeys', methods: ['create', 'prove', 'list', 'delete'], pass: CLOUD, optional: true },
  AUDIT_SHAPE,
  { port: 'authorizer', methods: ['isAllowed'], pass: 'an object with isAllowed(request)', optional: true },
  { port: 'tokenIssuer', methods: ['mint'], pass: 'an object with mint(grant)', optional: true },
];

/** @throws TypeError that names the first missing or misshapen port. */
export function checkPorts(ports: AuthPorts): ResolvedAuthPorts {
  requirePorts('createAuthMethod', ports, SHAPES);
  return { ...ports, clock: ports.clock ?? systemClock };
}

/** Everybody who can read the storage, or a copy of it, is then every role and the server itself (STORE-4). */
export const UNSEALED_WARNING = 'secrets in storage are not sealed: no key wrapper is configured';

/** Certificates expire, and with them every login that they verify (CERT-7). */
function certificateWarningText(warning: CertificateWarning): string {
  const { name, kind, type, regions, status, notAfter, daysLeft } = warning;
  const which = name === undefined ? `built-in ${kind ?? type} certificate` : `certificate ${name} (${type})`;
  const where = regions === undefined ? '' : ` of ${regions.join(', ')}`;
  const day = formatRfc3339(notAfter).slice(0, 10);
  return status === 'expired'
    ? `the ${which}${where} expired on ${day}`
    : `the ${which}${where} expires on ${day}, in ${daysLeft} days`;
}

function refusedCertificateText({ name, type }: TrustedCertificate): string {
  return `the certificate ${name} (${type}) verifies nothing: it is signed with SHA-1, which is not allowed here`;
}

/** What patterns of policies can match. A list of `x` is judged as `x/` (POLICY-7). */
function pathsOf(operations: readonly Operation[], mountPath: string): readonly string[] {
  return operations.flatMap((operation) => {
    const path = pathTemplate(operation, mountPath);
    return operation.verb === 'list' ? [path, `${path}/`] : [path];
  });
}

/** Given by a host that shares one among cores, else one of its own before the host's sink. */
function openOutbox({ ports, options }: MethodContext): AuditOutbox {
  const { storage, clock, crypto, audit } = ports;
  if (isAuditOutbox(audit)) return audit;
  const prefix = `${options.storagePrefix}audit-`;
  return createAuditOutbox({ storage, clock, random: crypto, sinks: [audit], prefix, node: options.auditNode });
}
