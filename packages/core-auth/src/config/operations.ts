/** The part of the catalogue that is about configuration (CONFIG-1, ALIAS-1, CERT-1, ASSOC-1, TIDY-1). */
import type { MethodContext } from '../method-context.js';
import { createCertificateOperations } from './certificate-operations.js';
import { createClientConfigOperations } from './client-operations.js';
import { createIdentityConfigOperations } from './identity-operations.js';
import { createStsOperations } from './sts-operations.js';
import { createTidyConfigOperations } from './tidy-operations.js';

export function createConfigOperations(context: MethodContext) {
  return [
    ...createClientConfigOperations(context),
    ...createIdentityConfigOperations(context),
    ...createCertificateOperations(context),
    ...createStsOperations(context),
    ...createTidyConfigOperations(context),
  ];
}
