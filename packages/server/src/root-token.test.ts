/** Of nodes that start at once on one storage exactly one has a root token to show. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { openSqliteSnapshot } from '@postern/storage-sqlite';
import { createManualClock } from '@postern/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { createServerMethod } from './create-server.js';
import { anotherRootToken, firstRootToken } from './root-token.js';
import { printRootToken } from './serve.js';

const provider = {
  describeInstance: async () => undefined,
  rolesOfProfile: async () => undefined,
  describePrincipal: async () => undefined,
};
const audit = { record: () => undefined };

it('the first root token is made by one of four nodes, and those of the others are revoked', async () => {
  const storage = createMemoryStorage();
  const handed: string[] = [];
  const nodes = await Promise.all(
    Array.from({ length: 4 }, async () => {
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

it('W2: another root token ends when the operator said it would', async () => {
  const [storage, clock] = [createMemoryStorage(), createManualClock(Date.UTC(2026, 0, 1))];
  const method = await createServerMethod({ storage, provider, audit, clock });
  const token = await anotherRootToken(storage, method, clock, 3600);
  const call = { requestId: 'test', peerAddress: undefined };
  clock.advance(3_599_000);
  expect(await method.useToken(token, call)).toBeDefined();
  clock.advance(2_000);
  expect(await method.useToken(token, call).catch(() => undefined)).toBeUndefined();
});

it.each([
  ['never expires', undefined],
  ['expires at 20', 3600],
])('W2: the command says that the token %s', async (end, expiresInSeconds) => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-root-token-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const configFile = join(folder, 'postern.json');
  const settings = {
    storage: { file: join(folder, 'postern.db') },
    audit: { file: join(folder, 'audit.log') },
    sealing: { keyFile: join(folder, 'postern.key') },
  };
  writeFileSync(configFile, JSON.stringify(settings), { mode: 0o600 });
  const printed: string[] = [];
  const printError = (text: string) => printed.push(text);
  const terminal = { printOut: () => undefined, printError, isInteractive: false, wantsColour: false };
  await printRootToken(configFile, expiresInSeconds, terminal);
  expect(printed.join('')).toContain(`grants every permission and ${end}`);
  // The file of the audit log has its event: the database holds it no longer.
  const snapshot = await openSqliteSnapshot(settings.storage);
  const kinds: string[] = [];
  for await (const { kind } of snapshot.items) kinds.push(kind);
  await snapshot.close();
  expect(kinds).toContain('record');
  expect(kinds).not.toContain('entry');
});
