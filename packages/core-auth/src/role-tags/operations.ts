/** The part of the catalogue that is about role tags (TAG-1, DENY-1). */
import type { MethodContext } from '../method-context.js';
import { createDenyListOperations } from './deny-list-operations.js';
import { createRoleTagOperation } from './issue-role-tag.js';

export function createRoleTagOperations(context: MethodContext) {
  return [createRoleTagOperation(context), ...createDenyListOperations(context)];
}
