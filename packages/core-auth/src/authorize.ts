/** May this token do this? Management calls need a policy that grants path and capability (POLICY-1, POLICY-3). */
import type { Capability } from '@postern/ports';
import type { CallContext } from './call.js';
import { foldRoleName } from './fields/fields.js';
import type { MethodContext } from './method-context.js';
import type { Operation } from './operation.js';
import type { Permissions } from './policies/policy-book.js';
import { ROOT_POLICY } from './roles/terms.js';
import { permissionDenied } from './tokens/authenticate.js';
import type { TokenRecord } from './tokens/token-record.js';

type Params = Readonly<Record<string, string>>;

/**
 * `root` may do everything; for anybody else the policies decide, or the host's Authorizer where it gives one.
 *
 * @throws AuthError `permission_denied`.
 */
export async function authorize(
  context: MethodContext,
  operation: Operation,
  params: Params,
  record: TokenRecord,
  call: CallContext,
): Promise<void> {
  const { policies } = record;
  if (policies.includes(ROOT_POLICY)) return;
  const path = pathOf(operation, params, context.options.mountPath);
  const capability = await capabilityOf(operation, params, call);
  const { isAllowed } = await permissionsOf(context, policies);
  const allowed = await isAllowed(path, capability);
  if (allowed !== true) throw permissionDenied('policy_does_not_grant');
}

/** By the host's Authorizer where it gives one, else by the policies. */
export async function permissionsOf(
  { ports: { authorizer }, policyBook }: MethodContext,
  policies: readonly string[],
): Promise<Permissions> {
  if (authorizer === undefined) return policyBook.permissionsOf(policies);
  return { isAllowed: (path, capability) => authorizer.isAllowed({ policies, path, capability }) };
}

/**
 * The path that policies speak of: never a deprecated alias, and role names folded, so that a rule about `role/prod`
 * is not passed by writing `role/PROD`.
 */
export function pathOf(operation: Operation, params: Params, mountPath: string): string {
  const segments = pathTemplate(operation, mountPath)
    .split('/')
    .map((segment) => {
      if (!segment.startsWith(':')) return segment;
      const name = segment.slice(1).replace(/\*$/, '');
      const value = params[name] ?? '';
      return name === 'role' ? foldRoleName(value) : value;
    });
  return segments.join('/');
}

/** As Vault's policies name them, in every profile (POLICY-6). */
const POLICIES_PATH = 'sys/policies/acl';

/** The path that policies speak of, with its parameters: `auth/cloud/role/:role`. */
export function pathTemplate(operation: Operation, mountPath: string): string {
  const base = { mount: mountPath, token: 'auth/token', sys: 'sys', policies: POLICIES_PATH }[operation.scope];
  return operation.path === '' ? base : `${base}/${operation.path}`;
}

async function capabilityOf(operation: Operation, params: Params, call: CallContext): Promise<Capability> {
  if (operation.verb !== 'write') return operation.verb;
  if (operation.exists === undefined) return 'update';
  return (await operation.exists(params, call)) ? 'update' : 'create';
}
