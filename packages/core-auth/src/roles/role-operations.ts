/** Writing, reading, listing and deleting roles (ROLE-1). */

import { createUuid } from '@postern/kernel';
import * as z from 'zod';
import { AuthError } from '../errors.js';
import { changedFields } from '../fields/changed-fields.js';
import { keysOutput, requireRoleName } from '../fields/fields.js';
import type { MethodContext } from '../method-context.js';
import { defineOperation } from '../operation.js';
import { removeRecord, runOptimistic, unchanged } from '../store/collection.js';
import { listKeys, pageFields } from '../store/list-page.js';
import { decideRoleWrite } from './decide-role-write.js';
import { resolvePrincipals } from './resolve-principals.js';
import { roleFields } from './role-fields.js';
import { roleOutput, roleToWire } from './role-view.js';

const noFields = z.object({});
const PATH = 'role/:role';

/** The part of the catalogue that is about roles. */
export function createRoleOperations(context: MethodContext) {
  const { roles } = context.collections;
  return [
    writeOperation(context),
    defineOperation({
      id: 'role.read',
      summary: 'Read a role',
      verb: 'read',
      scope: 'mount',
      path: PATH,
      access: 'management',
      fields: noFields,
      output: roleOutput,
      async handle(request) {
        const role = await roles.get(requireRoleName(request.params), request);
        if (role === undefined) throw new AuthError('not_found', 'there is no such role');
        return { data: roleToWire(role.value) };
      },
    }),
    defineOperation({
      id: 'role.list',
      summary: 'List the names of roles',
      verb: 'list',
      scope: 'mount',
      path: 'roles',
      aliases: ['role'],
      access: 'management',
      fields: pageFields,
      output: keysOutput,
      handle: (request) => listKeys(roles, request.fields, request),
    }),
    defineOperation({
      id: 'role.delete',
      summary: 'Delete a role',
      verb: 'delete',
      scope: 'mount',
      path: PATH,
      access: 'management',
      fields: noFields,
      async handle(request) {
        await removeRecord(roles, requireRoleName(request.params), request);
        return {};
      },
    }),
  ];
}

/** Decided on what is stored, stored only if that is still so: of two writes at once, the second sees the first. */
function writeOperation({ ports, options, collections }: MethodContext) {
  const { roles } = collections;
  return defineOperation({
    id: 'role.write',
    summary: 'Create or update a role',
    verb: 'write',
    scope: 'mount',
    path: PATH,
    access: 'management',
    fields: roleFields,
    exists: async (params, call) => (await roles.get(requireRoleName(params), call)) !== undefined,
    async handle(request) {
      const name = requireRoleName(request.params);
      const identity = { name, roleId: createUuid(ports.crypto), hmacKey: createUuid(ports.crypto) };
      return runOptimistic(async () => {
        const existing = await roles.get(name, request);
        const decision = decideRoleWrite(existing?.value, request.fields, identity, options);
        if (!decision.allow) throw new AuthError(decision.code, decision.message, { details: decision.details });
        const boundIamPrincipalIds = decision.resolve
          ? await resolvePrincipals(ports.cloud, decision.role.boundIamPrincipalArns, request)
          : decision.role.boundIamPrincipalIds;
        // A node that knows no more than format 1 could not read it (STORE-5); the name of a profile then decides.
        const older = options.recordFormat() > 1 ? {} : { admitUncheckedProfile: undefined };
        const role = { ...decision.role, ...older, boundIamPrincipalIds };
        const put = await roles.put(name, role, unchanged(existing), undefined, request);
        const changes = changedFields(existing && roleToWire(existing.value), roleToWire(role));
        await request.commit([put], { facts: { changes } });
        return decision.warnings.length > 0 ? { warnings: decision.warnings } : {};
      });
    },
  });
}
