/** Making a role tag (TAG-2, TAG-1, TAG-5). Nothing is stored: a tag is its own proof. */

import { encodeUtf8 } from '@postern/kernel';
import * as z from 'zod';
import { AuthError } from '../errors.js';
import { durationField } from '../fields/duration-field.js';
import { booleanField, described, listField, requireRoleName, textField } from '../fields/fields.js';
import type { MethodContext } from '../method-context.js';
import { defineOperation } from '../operation.js';
import { decideRoleTag } from './decide-role-tag.js';
import { MAX_ROLE_TAG_BYTES, ROLE_TAG_NONCE_BYTES } from './role-tag.js';
import { digestRoleTag, signRoleTag } from './sign-role-tag.js';

const tagFields = z.object({
  policies: described(listField, "Policies of tokens, among the role's; set but empty for `default` alone."),
  max_ttl: described(durationField, "Greatest lifetime of tokens; not above the role's."),
  instance_id: described(textField, 'The one instance that may use the tag; empty for any that meets the role.'),
  allow_instance_migration: described(booleanField, 'As the role allows it: a newer document needs no nonce.'),
  disallow_reauthentication: described(booleanField, 'One token an instance.'),
});

export function createRoleTagOperation({ ports, options, collections }: MethodContext) {
  return defineOperation({
    id: 'role.tag',
    summary: 'Make a signed role tag',
    verb: 'write',
    scope: 'mount',
    path: 'role/:role/tag',
    access: 'management',
    fields: tagFields,
    output: z.object({ tag_key: z.string(), tag_value: z.string() }),
    async handle(request) {
      const { fields, params, annotate } = request;
      const name = requireRoleName(params);
      annotate({ role: name });
      const role = (await collections.roles.get(name, request))?.value;
      if (role === undefined) throw new AuthError('role_not_found', 'role not found');
      const decided = decideRoleTag({
        role,
        wish: {
          policies: fields.policies,
          maxTtlSeconds: fields.max_ttl,
          instanceId: fields.instance_id,
          allowInstanceMigration: fields.allow_instance_migration,
          disallowReauthentication: fields.disallow_reauthentication,
        },
        mountMaxTtlSeconds: options.maxTtlSeconds,
        nonce: ports.crypto.bytes(ROLE_TAG_NONCE_BYTES),
      });
      if (!decided.allow) throw new AuthError(decided.code, decided.message, { details: decided.details });
      const text = await signRoleTag(ports.crypto, role.hmacKey, decided.tag);
      if (encodeUtf8(text).length > MAX_ROLE_TAG_BYTES) {
        throw new AuthError('tag_too_long', `the tag would be longer than ${MAX_ROLE_TAG_BYTES} bytes`);
      }
      annotate({ details: { role_tag: await digestRoleTag(ports.crypto, text) } });
      return { data: { tag_key: role.roleTagKey, tag_value: text } };
    },
  });
}
