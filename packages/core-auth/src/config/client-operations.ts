/** Writing, reading and deleting the client configuration (CONFIG-1). */
import type { MethodContext } from '../method-context.js';
import { defineOperation } from '../operation.js';
import { CLIENT_CONFIG_ID } from '../store/collection.js';
import { clientFields, clientOutput, clientToWire, decideClientWrite } from './decide-client-write.js';
import { deleteOperation, existsIn, readOperation, updateRecord } from './record-operations.js';

const PATH = 'config/client';

export function createClientConfigOperations(context: MethodContext) {
  const { options, collections } = context;
  const kind = { collection: collections.clientConfig, idOf: () => CLIENT_CONFIG_ID, toWire: clientToWire };
  return [
    defineOperation({
      id: 'config.client.write',
      summary: 'Configure how the provider is reached',
      verb: 'write',
      scope: 'mount',
      path: PATH,
      access: 'management',
      fields: clientFields,
      exists: existsIn(kind),
      async handle(request) {
        const decide = (stored: Parameters<typeof decideClientWrite>[0]) => decideClientWrite(stored, request.fields);
        await updateRecord(
          { ...kind, secretsOf: ({ secretKey }) => ({ secret_key: secretKey }) },
          CLIENT_CONFIG_ID,
          decide,
          request,
        );
        options.onProviderConfigChange();
        return {};
      },
    }),
    readOperation(
      {
        id: 'config.client.read',
        summary: 'Read the client configuration',
        path: PATH,
        output: clientOutput,
      },
      kind,
    ),
    deleteOperation(
      { id: 'config.client.delete', summary: 'Delete the client configuration', path: PATH },
      kind,
      options.onProviderConfigChange,
    ),
  ];
}
