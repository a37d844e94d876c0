/** May this token do this? Management calls need a policy that grants path and capability (POLICY-1, POLICY-3). */
import type { Capability } from '@postern/ports';
import type { CallContext } from './call.js';
import { foldRoleName } from './fields/fields.js';
import type { MethodContext } from './method-context.js';
import type { Operation } from './operation.js';
import { ROOT_POLICY } from './roles/terms.js';
import { permissionDenied } from './tokens/authenticate.js';
import type { TokenRecord } from './tokens/token-record.js';

type Params = Readonly<Record<string, string>>;

/**
 * `root` may do everything; anybody else asks the Authorizer, and without one may do nothing.
 *
 * @throws AuthError `permission_denied`.
 */
export async function authorize(
  { ports, options }: MethodContext,
  operation: Operation,
  params: Params,
  record: TokenRecord,
  call: CallContext,
): Promise<void> {
  const { policies } = record;
  if (policies.includes(ROOT_POLICY)) return;
  const path = pathOf(operation, params, options.mountPath);
  const capability = await capabilityOf(operation, params, call);
  const allowed = await ports.authorizer?.isAllowed({ policies, path, capability });
  if (allowed !== true) throw permissionDenied('policy_does_not_grant');
}

/**
 * The path that policies speak of: never a deprecated alias, and role names folded, so that a rule about `role/prod`
 * is not passed by writing `role/PROD`.
 */
export function pathOf(operation: Operation, params: Params, mountPath: string): string {
  const base = { mount: mountPath, token: 'auth/token', sys: 'sys' }[operation.scope];
  const segments = operation.path.split('/').map((segment) => {
    if (!segment.startsWith(':')) return segment;
    const name = segment.slice(1).replace(/\*$/, '');
    const value = params[name] ?? '';
    return name === 'role' ? foldRoleName(value) : value;
  });
  return [base, ...segments].join('/');
}

async function capabilityOf(operation: Operation, params: Params, call: CallContext): Promise<Capability> {
  if (operation.verb !== 'write') return operation.verb;
  if (operation.exists === undefined) return 'update';
  return (await operation.exists(params, call)) ? 'update' : 'create';
}
