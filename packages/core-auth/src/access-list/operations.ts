/** Reading, listing and deleting entries of the identity access list (ACCESS-2, ACCESS-1, WIRE-8). */

import { formatRfc3339 } from '@postern/kernel';
import * as z from 'zod';
import { AuthError } from '../errors.js';
import { keysOutput, requireName } from '../fields/fields.js';
import type { MethodContext } from '../method-context.js';
import { defineOperation, type Shown } from '../operation.js';
import { removeRecord } from '../store/collection.js';
import { listKeys, pageFields } from '../store/list-page.js';
import type { AccessListEntry } from './entry.js';

const noFields = z.object({});

/** What `entryView` makes. */
const entryOutput = z.object({
  role: z.string(),
  client_nonce: z.string(),
  creation_time: z.string(),
  disallow_reauthentication: z.boolean(),
  expiration_time: z.string(),
  last_updated_time: z.string(),
  pending_time: z.string(),
});

export function createAccessListOperations({ collections }: MethodContext) {
  return [
    defineOperation({
      id: 'access-list.read',
      summary: 'Read the access-list entry of an instance',
      verb: 'read',
      scope: 'mount',
      path: 'identity-accesslist/:instance_id',
      aliases: ['identity-whitelist/:instance_id'],
      access: 'management',
      fields: noFields,
      output: entryOutput,
      async handle(request) {
        const instanceId = requireName(request.params, 'instance_id');
        const entry = await collections.accessList.get(instanceId, request);
        if (entry === undefined) throw new AuthError('not_found', 'the instance is not on the access list');
        return { data: entryView(entry.value) };
      },
    }),
    defineOperation({
      id: 'access-list.list',
      summary: 'List the instances on the access list',
      verb: 'list',
      scope: 'mount',
      path: 'identity-accesslist',
      aliases: ['identity-whitelist'],
      access: 'management',
      fields: pageFields,
      output: keysOutput,
      handle: (request) => listKeys(collections.accessList, request.fields, request),
    }),
    defineOperation({
      id: 'access-list.delete',
      summary: 'Remove an instance from the access list, so that its next login is a first one',
      verb: 'delete',
      scope: 'mount',
      path: 'identity-accesslist/:instance_id',
      aliases: ['identity-whitelist/:instance_id'],
      access: 'management',
      fields: noFields,
      async handle(request) {
        await removeRecord(collections.accessList, requireName(request.params, 'instance_id'), request);
        return {};
      },
    }),
  ];
}

/** The seven members of a read. The nonce is among them: reading an entry is as good as having logged in. */
function entryView(entry: AccessListEntry): Shown<typeof entryOutput> {
  return {
    role: entry.role,
    client_nonce: entry.clientNonce,
    creation_time: formatRfc3339(entry.createdAt),
    disallow_reauthentication: entry.disallowReauthentication,
    expiration_time: formatRfc3339(entry.expiresAt),
    last_updated_time: formatRfc3339(entry.updatedAt),
    pending_time: entry.pendingTime,
  };
}
