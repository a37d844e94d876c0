/** Writing and reading the identity configuration (ALIAS-2, ALIAS-3, ALIAS-1). It always is: never missing, never deleted. */
import { z } from 'zod';
import { IDENTITY_CONFIG_ID, type MethodContext } from '../method-context.js';
import { defineOperation, type Operation } from '../operation.js';
import { createConfigReaders } from './config-readers.js';
import { decideIdentityWrite, identityFields, identityOutput, identityToWire } from './decide-identity-write.js';
import { updateRecord } from './update-record.js';

const HERE = { scope: 'mount', access: 'management', path: 'config/identity' } as const;

export function createIdentityConfigOperations({ ports, collections }: MethodContext): readonly Operation[] {
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
        await updateRecord(ports.storage, collections.identityConfig, IDENTITY_CONFIG_ID, decide, request);
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
