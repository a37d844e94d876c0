/** Of nodes that start at once on one storage exactly one has a root token to show. */

import { systemClock } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { expect, it } from 'vitest';
import { createServerMethod } from './create-server.js';
import { firstRootToken } from './root-token.js';

it('the first root token is made by one of four nodes, and those of the others are revoked', async () => {
  const storage = createMemoryStorage();
  const handed: string[] = [];
  const nodes = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const audit = { record: () => undefined };
      const provider = {
        describeInstance: async () => undefined,
        rolesOfProfile: async () => undefined,
        describePrincipal: async () => undefined,
      };
      const method = await createServerMethod({ storage, provider, audit });
      const remembering = {
        ...method,
        createRootToken: async () => {
          const token = await method.createRootToken();
          handed.push(token);
          return token;
        },
      };
      return { method, remembering };
    }),
  );
  const shown = (
    await Promise.all(nodes.map(({ remembering }) => firstRootToken(storage, remembering, systemClock)))
  ).filter((token) => token !== undefined);
  expect(handed).toHaveLength(4);
  expect(shown).toHaveLength(1);
  const method = nodes[0]?.method;
  const call = { requestId: 'test', peerAddress: undefined };
  for (const token of handed) {
    const holder = await method?.useToken(token, call).catch(() => undefined);
    expect(holder !== undefined).toBe(token === shown[0]);
  }
});
