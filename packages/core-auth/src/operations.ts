/** The one catalogue: every operation of the method once; routes, documents and clients are made from it (WIRE-1). */
import { createAccessListOperations } from './access-list/operations.js';
import { createCapabilityOperations } from './capabilities.js';
import { createCertificateOperations } from './config/certificate-operations.js';
import { createClientConfigOperations } from './config/client-operations.js';
import { createIdentityConfigOperations } from './config/identity-operations.js';
import { createMountOperations } from './config/mounts.js';
import { createStsOperations } from './config/sts-operations.js';
import { createTidyConfigOperations } from './config/tidy-operations.js';
import { createEc2Login, type Ec2FlowParts } from './login/ec2-login.js';
import { createEc2Renewal } from './login/ec2-renewal.js';
import { createExplainOperation } from './login/explain/explain-operation.js';
import { createIamEvidence, createIamLogin } from './login/iam-login.js';
import { createIamRenewal } from './login/iam-renewal.js';
import { createLoginOperation, type IamLoginRequest, type LoginFlow } from './login/login-operation.js';
import { createRenewalCloud, type RenewalCloud } from './login/recent-answers.js';
import { createDataKeyOperations } from './maintenance/data-keys.js';
import { createRotateRootOperation } from './maintenance/rotate-root.js';
import type { Tidy } from './maintenance/tidy.js';
import { createTidyOperations } from './maintenance/tidy-operations.js';
import type { MethodContext } from './method-context.js';
import type { Operation } from './operation.js';
import { createPolicyOperations } from './policies/policy-operations.js';
import { createFullArns } from './principals/full-arn-cache.js';
import { createDenyListOperations } from './role-tags/deny-list-operations.js';
import { createRoleTagOperation } from './role-tags/issue-role-tag.js';
import { createRoleOperations } from './roles/role-operations.js';
import { createTokenCreation } from './tokens/create-token.js';
import { createBatchKeyOperation } from './tokens/key-ring.js';
import type { RenewalFlow } from './tokens/renew-token.js';
import { createTokenInventory } from './tokens/token-inventory.js';
import { createTokenOperations } from './tokens/token-operations.js';
import type { IamRenewalFacts } from './tokens/token-record.js';

export function createOperations(parts: Ec2FlowParts & { readonly tidy: Tidy }) {
  const { context, tidy } = parts;
  const { ports, options } = context;
  const renewalCloud = createRenewalCloud(ports.cloud, ports.clock, options.renewalAnswerSeconds * 1000);
  const iam = createIamFlows(context, renewalCloud);
  // Filled below: an operation that tells what a path may be used for looks at all of them.
  const catalogue: Operation[] = [];
  const operations = [
    ...createClientConfigOperations(context),
    ...createIdentityConfigOperations(context),
    ...createCertificateOperations(context),
    ...createStsOperations(context),
    ...createTidyConfigOperations(context),
    createRotateRootOperation(context),
    ...createRoleOperations(context),
    createRoleTagOperation(context),
    ...createDenyListOperations(context),
    createExplainOperation(context, parts.loadTrustStore),
    createLoginOperation(context, { ec2: createEc2Login(parts), iam: iam?.login }),
    ...createAccessListOperations(context),
    ...createTidyOperations(context, tidy),
    createBatchKeyOperation(context),
    createTokenCreation(context),
    ...createTokenInventory(context),
    ...createPolicyOperations(context),
    ...createDataKeyOperations(context),
    // biome-ignore lint/nursery/noMisusedPromises: it returns an array; only its handlers are asynchronous
    ...createTokenOperations(context, { ec2: createEc2Renewal({ ...parts, renewalCloud }), iam: iam?.renewal }),
    ...createMountOperations(context),
    // biome-ignore lint/nursery/noMisusedPromises: it returns an array; only its handlers are asynchronous
    ...createCapabilityOperations(context, catalogue),
  ];
  catalogue.push(...operations);
  return operations;
}

interface IamFlows {
  readonly login: LoginFlow<IamLoginRequest>;
  readonly renewal: RenewalFlow<IamRenewalFacts>;
}

/** Login and renewal of principals, which share the known full ARNs; undefined without the port `cloud.callerIdentity`. */
function createIamFlows(context: MethodContext, renewalCloud: RenewalCloud): IamFlows | undefined {
  const { callerIdentity } = context.ports.cloud;
  if (callerIdentity === undefined) return undefined;
  const fullArns = createFullArns(context);
  const parts = { context, proveCaller: createIamEvidence(context, callerIdentity), fullArns };
  return { login: createIamLogin(parts), renewal: createIamRenewal({ ...parts, renewalCloud }) };
}
