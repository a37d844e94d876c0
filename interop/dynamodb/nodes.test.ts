/** The command that makes the table, and two servers on it: what one has acknowledged counts at the other at once. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTable } from '@postern/server/command';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ask, login, lookUp, startTwoNodes, type TwoNodes, writeRole } from '../postgres/two-nodes.js';
import { type DynamoLocal, startDynamoLocal } from './dynamodb-local.js';

let local: DynamoLocal;
let nodes: TwoNodes;
const folder = mkdtempSync(join(tmpdir(), 'postern-dynamodb-'));

beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'postern').stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  local = await startDynamoLocal();
});
afterAll(async () => {
  await nodes?.end();
  await local.stop();
  rmSync(folder, { recursive: true });
  vi.unstubAllEnvs();
});

it('creates the table once, and starts two servers that print one root token', async () => {
  const dynamodb = { table: 'postern', region: 'eu-west-1', endpoint: local.endpoint };
  const config = join(folder, 'postern.json');
  writeFileSync(config, JSON.stringify({ storage: { dynamodb } }));
  const said: string[] = [];
  const printOut = (text: string) => said.push(text);
  const terminal = { isInteractive: false, wantsColour: false, printOut, printError: printOut };
  await createTable({ config, shards: 4 }, terminal);
  await createTable({ config, shards: undefined }, terminal);
  expect(said.join('')).toBe(
    'postern: the table is made and can be used\npostern: the table was there, and can be used\n',
  );
  nodes = await startTwoNodes({ dynamodb });
  expect(nodes.rootTokens).toHaveLength(1);
  expect([await lookUp(nodes.a, nodes.rootToken), await lookUp(nodes.b, nodes.rootToken)]).toEqual([200, 200]);
});

it('give one token among 40 concurrent first logins of one instance', async () => {
  const { a, b, rootToken, site } = nodes;
  expect(await writeRole(a, rootToken)).toBe(204);
  const { pkcs7 } = site.newDocument();
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => login(n % 2 === 0 ? a : b, pkcs7)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400]));
});

it('look up, renew and revoke each other’s tokens at once', async () => {
  const { a, b, site } = nodes;
  const { status, token } = await login(a, site.newDocument().pkcs7);
  expect(status).toBe(200);
  expect(await lookUp(b, token)).toBe(200);
  expect((await ask(b, token, 'auth/token/renew-self', { increment: '30m' })).status).toBe(200);
  expect((await ask(b, token, 'auth/token/revoke-self', {})).status).toBe(204);
  expect(await lookUp(a, token)).toBe(403);
});
