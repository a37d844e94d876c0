/** Writing and reading the identity configuration (ALIAS-2, ALIAS-3, ALIAS-1). It always is: never missing, never deleted. */

import { lowerAscii } from '@postern/kernel';
import * as z from 'zod';
import { AuthError } from '../errors.js';
import { described, listField, textField } from '../fields/fields.js';
import type { MethodContext } from '../method-context.js';
import { defineOperation, type Shown } from '../operation.js';
import { IDENTITY_CONFIG_ID } from '../store/collection.js';
import {
  DEFAULT_IDENTITY_CONFIG,
  DEFAULT_METADATA,
  EC2_ALIASES,
  EC2_METADATA,
  IAM_ALIASES,
  IAM_METADATA,
  type IdentityConfig,
} from '../tokens/alias.js';
import { createConfigReaders } from './config-readers.js';
import { updateRecord } from './record-operations.js';

const HERE = { scope: 'mount', access: 'management', path: 'config/identity' } as const;

export function createIdentityConfigOperations({ collections }: MethodContext) {
  const readers = createConfigReaders(collections);
  return [
    defineOperation({
      ...HERE,
      id: 'config.identity.write',
      summary: 'Configure alias and metadata of grants',
      verb: 'write',
      fields: identityFields,
      async handle(request) {
        const decide = (stored: Parameters<typeof decideIdentityWrite>[0]) =>
          decideIdentityWrite(stored, request.fields);
        const kind = { collection: collections.identityConfig, toWire: identityToWire };
        await updateRecord(kind, IDENTITY_CONFIG_ID, decide, request);
        return {};
      },
    }),
    defineOperation({
      ...HERE,
      id: 'config.identity.read',
      summary: 'Read how grants are named',
      verb: 'read',
      fields: z.object({}),
      output: identityOutput,
      handle: async (request) => ({ data: identityToWire(await readers.identity(request)) }),
    }),
  ];
}

export const identityFields = z.object({
  iam_alias: described(textField, `Alias name of principals: ${IAM_ALIASES.join(', ')}.`),
  iam_metadata: described(listField, `Metadata of principals: \`default\`, or any of ${IAM_METADATA.join(', ')}.`),
  ec2_alias: described(textField, `Alias name of instances: ${EC2_ALIASES.join(', ')}.`),
  ec2_metadata: described(listField, `Metadata of instances: \`default\`, or any of ${EC2_METADATA.join(', ')}.`),
});

export type IdentityFields = z.output<typeof identityFields>;

/** Stands for the defaults of the day, and only alone. */
const DEFAULT = 'default';

/** @throws AuthError `alias_invalid`, `metadata_invalid`; nothing of the write counts then. */
export function decideIdentityWrite(stored: IdentityConfig | undefined, fields: IdentityFields): IdentityConfig {
  const base = stored ?? DEFAULT_IDENTITY_CONFIG;
  return {
    iamAlias: aliasOf('iam_alias', fields.iam_alias, IAM_ALIASES, base.iamAlias),
    ec2Alias: aliasOf('ec2_alias', fields.ec2_alias, EC2_ALIASES, base.ec2Alias),
    iamMetadata: metadataOf('iam_metadata', fields.iam_metadata, IAM_METADATA, base.iamMetadata),
    ec2Metadata: metadataOf('ec2_metadata', fields.ec2_metadata, EC2_METADATA, base.ec2Metadata),
  };
}

/** What `identityToWire` makes. */
export const identityOutput = z.object({
  ec2_alias: z.enum(EC2_ALIASES),
  ec2_metadata: z.array(z.string()),
  iam_alias: z.enum(IAM_ALIASES),
  iam_metadata: z.array(z.string()),
});

export function identityToWire(config: IdentityConfig): Shown<typeof identityOutput> {
  return {
    ec2_alias: config.ec2Alias,
    ec2_metadata: config.ec2Metadata ?? DEFAULT_METADATA,
    iam_alias: config.iamAlias,
    iam_metadata: config.iamMetadata ?? DEFAULT_METADATA,
  };
}

/** Exact and case-sensitive; empty selects none. */
function aliasOf<A extends string>(field: string, sent: string | undefined, known: readonly A[], stored: A): A {
  if (sent === undefined) return stored;
  const alias = known.find((name) => name === sent);
  if (alias !== undefined) return alias;
  throw new AuthError('alias_invalid', `${field}: must be one of ${known.join(', ')}`, { details: { field } });
}

/** Folded, without duplicates, sorted. Undefined: the defaults of the day. */
function metadataOf<M extends string>(
  field: string,
  sent: readonly string[] | undefined,
  known: readonly M[],
  stored: readonly M[] | undefined,
): readonly M[] | undefined {
  if (sent === undefined) return stored;
  const names = [...new Set(sent.map(lowerAscii))].sort();
  if (names.length === 1 && names[0] === DEFAULT) return undefined;
  const selected = names.flatMap((name) => known.filter((one) => one === name));
  if (selected.length !== names.length) {
    const text = `${field}: must be \`${DEFAULT}\` alone, or names out of ${known.join(', ')}`;
    throw new AuthError('metadata_invalid', text, { details: { field } });
  }
  // What a read shows of "the defaults of the day" comes back as their names: it still means the defaults (FIELD-7).
  const isDefault = names.length === DEFAULT_METADATA.length && DEFAULT_METADATA.every((name) => names.includes(name));
  return stored === undefined && isDefault ? undefined : selected;
}
