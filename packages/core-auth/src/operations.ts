/** The one catalogue: every operation of the method once; routes, documents and clients are made from it (WIRE-1). */
import { createAccessListOperations } from './access-list/operations.js';
import { createConfigOperations } from './config/operations.js';
import { createEc2Login, type Ec2FlowParts } from './login/ec2-login.js';
import { createEc2Renewal } from './login/ec2-renewal.js';
import { createExplainOperation } from './login/explain/explain-operation.js';
import { createIamFlows } from './login/iam-flows.js';
import { createLoginOperation } from './login/login-operation.js';
import { createRenewalCloud } from './login/recent-answers.js';
import { createRotateRootOperation } from './maintenance/rotate-root.js';
import type { Tidy } from './maintenance/tidy.js';
import { createTidyOperations } from './maintenance/tidy-operations.js';
import { createRoleTagOperations } from './role-tags/operations.js';
import { createRoleOperations } from './roles/role-operations.js';
import { createBatchKeyOperation } from './tokens/key-ring.js';
import { createTokenOperations } from './tokens/token-operations.js';

export function createOperations(parts: Ec2FlowParts & { readonly tidy: Tidy }) {
  const { context, tidy } = parts;
  const { ports, options } = context;
  const renewalCloud = createRenewalCloud(ports.cloud, ports.clock, options.renewalAnswerSeconds * 1000);
  const iam = createIamFlows(context, renewalCloud);
  return [
    ...createConfigOperations(context),
    createRotateRootOperation(context),
    ...createRoleOperations(context),
    ...createRoleTagOperations(context),
    createExplainOperation(context, parts.loadTrustStore),
    createLoginOperation(context, { ec2: createEc2Login(parts), iam: iam?.login }),
    ...createAccessListOperations(context),
    ...createTidyOperations(context, tidy),
    createBatchKeyOperation(context),
    // biome-ignore lint/nursery/noMisusedPromises: it returns an array; only its handlers are asynchronous
    ...createTokenOperations(context, { ec2: createEc2Renewal({ ...parts, renewalCloud }), iam: iam?.renewal }),
  ];
}
