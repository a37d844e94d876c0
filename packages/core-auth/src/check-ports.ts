/** The shape of what `createAuthMethod` takes: a slip is a TypeError there, not `internal` at the first login. */
import { AUDIT_SHAPE, CLOCK_SHAPE, type PortShape, requirePorts, STORAGE_SHAPE } from '@postern/kernel';
import { systemClock } from '@postern/ports';
import type { AuthPorts, ResolvedAuthPorts } from './options.js';

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
