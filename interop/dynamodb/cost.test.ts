/** What logins consume, in units as DynamoDB charges them: docs/dynamodb.md calculates with these figures. */
import { readFileSync } from 'node:fs';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { createDynamoTable, openDynamoDump, openDynamoStorage } from '@postern/storage-dynamodb';
import type { FakeInstance } from '@postern/testkit';
import { createTestWorld } from '@postern/testkit/world';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientOf, type DynamoLocal, startDynamoLocal } from './dynamodb-local.js';

const LOGINS = 40;
const DAY_MS = 86_400_000;

let local: DynamoLocal;
beforeAll(async () => {
  local = await startDynamoLocal();
});
afterAll(() => local.stop());

interface Units {
  readonly writes: number;
  readonly reads: number;
}

/** What the adapter has asked for, as policies name it. */
const actions = new Set<string>();

it('a login consumes 12 write units and 8 read units, and its removal at most 8 and 17', async () => {
  const client = clientOf(local.endpoint);
  let spent: Units = { writes: 0, reads: 0 };
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const { writes, reads } = unitsOf(args.input);
      spent = { writes: spent.writes + writes, reads: spent.reads + reads };
      for (const action of actionsOf(context.commandName ?? '', args.input)) actions.add(`dynamodb:${action}`);
      return next(args);
    },
    { step: 'initialize' },
  );
  await createDynamoTable({ table: 'cost', client });
  const storage = await openDynamoStorage({ table: 'cost', client });
  const { auth, cloud, clock, login } = createTestWorld({ ports: { storage }, options: { auditNode: 'node' } });
  await auth.feedAudit();
  const { instance: other } = await login();
  other.terminate();

  async function unitsPerLogin(work: () => Promise<unknown>): Promise<Units> {
    spent = { writes: 0, reads: 0 };
    await work();
    return { writes: spent.writes / LOGINS, reads: spent.reads / LOGINS };
  }

  const launch = () => Array.from({ length: LOGINS }, () => cloud.launchInstance());
  const loginAll = (instances: readonly FakeInstance[]) =>
    unitsPerLogin(async () => {
      for (const instance of instances) await login({ instance, nonce: 'nonce' });
    });
  const instances = launch();
  expect(await loginAll(instances)).toEqual({ writes: 12, reads: 8 });

  for (const instance of instances) instance.terminate();
  clock.advance(90 * DAY_MS);
  const removal = await unitsPerLogin(async () => {
    await auth.feedAudit();
    await auth.runPeriodicTidy();
    await auth.settled();
    await storage.listExpired('', clock.now(), { limit: 1000 });
  });
  expect((await storage.listExpired('', clock.now(), { limit: 1 })).items).toEqual([]);
  expect(removal.writes).toBeLessThanOrEqual(8);
  expect(removal.reads).toBeLessThanOrEqual(17);

  const others = launch();
  await loginAll(others);
  expect(await loginAll(others)).toEqual({ writes: 12, reads: 8 });
  await storage.getMany(['a', 'b']);
  const dump = await openDynamoDump({ table: 'cost', client });
  for await (const _item of dump.items);
  await dump.close();
  await auth.close();
  await storage.close();
  client.destroy();
});

it('the policies of the documentation allow what was asked for, and nothing else', () => {
  const page = readFileSync(new URL('../../docs/dynamodb.md', import.meta.url), 'utf8');
  const policies = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = '']): Policy => JSON.parse(text));
  const allowed = policies.flatMap(({ Statement }) => Statement.flatMap(({ Action }) => Action));
  expect(allowed.toSorted()).toEqual([...actions].sort());
});

interface Policy {
  readonly Statement: readonly { readonly Action: readonly string[] }[];
}

/** Transactions need the permissions of their parts. */
function actionsOf(command: string, input: object): readonly string[] {
  const parts = partsOf(input);
  if (parts.length === 0) return [command.replace('Command', '')];
  return parts.flatMap((part) =>
    Object.keys(part).map((kind) => (kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`)),
  );
}

type Part = Readonly<Record<string, { readonly Item?: Item; readonly Key?: Item }>>;

/** Of a transaction; of another request none. */
function partsOf(input: object): readonly Part[] {
  return 'TransactItems' in input && Array.isArray(input.TransactItems) ? input.TransactItems : [];
}

/** By the rules of the price list: a unit for each KB written and for each 4 KB read consistently, two in a transaction. */
function unitsOf(input: object): Units {
  const text = JSON.stringify(input);
  if ('ClientRequestToken' in input)
    return { writes: 2 * itemsIn(input).reduce((sum, size) => sum + Math.ceil(size / 1024), 0), reads: 0 };
  if ('TransactItems' in input) return { writes: 0, reads: 2 * countOf(text, /"Get":/g) };
  if (text.includes('"DeleteRequest"')) return { writes: countOf(text, /"DeleteRequest"/g), reads: 0 };
  if ('RequestItems' in input) return { writes: 0, reads: countOf(text, /"p":/g) };
  if ('ConditionExpression' in input) return { writes: 1, reads: 0 };
  return { writes: 0, reads: 1 };
}

const countOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length;

/** Sizes of the items of a transaction that writes. */
function itemsIn(input: object): readonly number[] {
  return partsOf(input).map((part) => {
    const [{ Item, Key } = {}] = Object.values(part);
    return sizeOf(Item ?? Key ?? {});
  });
}

type Item = Readonly<Record<string, AttributeValue>>;

function sizeOf(item: Item): number {
  return Object.entries(item).reduce(
    (sum, [name, { S, N, B }]) => sum + name.length + Buffer.byteLength(S ?? N ?? '') + (B?.length ?? 0),
    0,
  );
}
