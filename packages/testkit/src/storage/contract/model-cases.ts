/** Contract: over random histories a storage and a plain Map always agree. Seeds are fixed, so a failure repeats. */
import assert from 'node:assert/strict';
import { compareUtf8, isConflict, type Precondition, type RecordOperation, type Storage } from '@postern/ports';
import { createSeededRandom, type SeededRandom } from '../seeded-random.js';
import type { ContractDefinition } from './contract-case.js';

interface ModelRecord {
  readonly value: string;
  readonly version: string;
  readonly expiresAt: number | undefined;
}

interface Model {
  readonly records: Map<string, ModelRecord>;
  /** Every version that each key ever had. */
  readonly history: Map<string, Set<string>>;
}

const STEPS = 250;
const keys = ['a', 'a/', 'a/1', 'a/2', 'a0', 'b/\uFF5E', 'b/\u{1F600}', 'b/\u{1F600}x', 'c'];
const prefixes = ['', 'a', 'a/', 'b/', 'b/\u{1F600}', 'none'];

export const modelCases: readonly ContractDefinition[] = [1, 2, 3, 4].map((seed): ContractDefinition => {
  return {
    name: `model: ${STEPS} random steps agree with a Map (seed ${seed})`,
    run: ({ storage }) => runModel(storage, seed),
  };
});

async function runModel(storage: Storage, seed: number): Promise<void> {
  const random = createSeededRandom(seed);
  const model: Model = { records: new Map(), history: new Map() };
  for (let step = 0; step < STEPS; step += 1) {
    await commitBoth(storage, model, randomOperations(random, model, step));
    await compareReads(storage, model, random);
  }
}

function randomOperations(random: SeededRandom, model: Model, step: number): readonly RecordOperation[] {
  const chosen = new Set(Array.from({ length: 1 + random.below(3) }, () => random.pick(keys)));
  return [...chosen].map((key): RecordOperation => {
    const condition = randomPrecondition(random, model, key);
    const type = random.pick(['put', 'put', 'put', 'delete', 'check'] as const);
    if (type !== 'put') return { type, key, if: condition };
    const expiresAt = random.below(2) === 0 ? undefined : random.below(6);
    return { type, key, value: `${step}:${key}`, expiresAt, if: condition };
  });
}

function randomPrecondition(random: SeededRandom, model: Model, key: string): Precondition {
  const current = model.records.get(key);
  switch (random.below(5)) {
    case 0:
      return 'any';
    case 1:
      // Any version the key ever had: mostly an old one.
      return { version: random.pick([...(model.history.get(key) ?? ['none'])]) };
    case 2:
      return random.pick(['absent', 'present'] as const);
    default:
      return current === undefined ? 'absent' : { version: current.version };
  }
}

async function commitBoth(storage: Storage, model: Model, operations: readonly RecordOperation[]): Promise<void> {
  const failed = operations.filter(({ key, if: condition }) => !holdsInModel(condition, model.records.get(key)));
  try {
    const { versions } = await storage.commit(operations);
    assert.deepEqual(failed, [], 'the model refuses what the storage applied');
    assert.equal(versions.length, operations.length);
    for (const [index, operation] of operations.entries()) applyToModel(model, operation, versions[index]);
  } catch (error) {
    if (!isConflict(error)) throw error;
    assert.deepEqual([...error.keys].sort(), failed.map(({ key }) => key).sort());
  }
}

function holdsInModel(condition: Precondition, record: ModelRecord | undefined): boolean {
  if (condition === 'any') return true;
  if (condition === 'absent') return record === undefined;
  return record !== undefined && (condition === 'present' || condition.version === record.version);
}

function applyToModel(model: Model, operation: RecordOperation, version: string | undefined): void {
  if (operation.type === 'delete') model.records.delete(operation.key);
  if (operation.type !== 'put') {
    assert.equal(version, undefined);
    return;
  }
  assert.ok(version !== undefined);
  const history = model.history.get(operation.key) ?? new Set();
  assert.ok(!history.has(version), 'a version was reused');
  model.history.set(operation.key, history.add(version));
  model.records.set(operation.key, { value: operation.value, version, expiresAt: operation.expiresAt });
}

async function compareReads(storage: Storage, model: Model, random: SeededRandom): Promise<void> {
  const expected = (key: string) => {
    const record = model.records.get(key);
    return record === undefined ? undefined : { key, ...record };
  };
  const records = await storage.getMany(keys);
  assert.deepEqual(
    records.map((record) => record && { ...record }),
    keys.map(expected),
  );

  const prefix = random.pick(prefixes);
  const after = random.below(2) === 0 ? undefined : random.pick(keys);
  const limit = 1 + random.below(4);
  const listed = [...model.records.keys()].filter((key) => key.startsWith(prefix)).sort(compareUtf8);
  const following = listed.filter((key) => after === undefined || compareUtf8(key, after) > 0);
  const page = await storage.list(prefix, { after, limit, values: true });
  assert.deepEqual(
    page.items.map(({ record }) => record && { ...record }),
    following.slice(0, limit).map(expected),
  );
  assert.equal(page.next, following.length > limit ? following[limit - 1] : undefined);

  const before = random.below(7);
  const expired = listed
    .flatMap((key) => ({ key, expiresAt: model.records.get(key)?.expiresAt ?? before }))
    .filter(({ expiresAt }) => expiresAt < before)
    .sort((left, right) => left.expiresAt - right.expiresAt || compareUtf8(left.key, right.key));
  const expiredPage = await storage.listExpired(prefix, before, { limit });
  assert.deepEqual(
    expiredPage.items.map(({ key, expiresAt }) => ({ key, expiresAt })),
    expired.slice(0, limit),
  );
  assert.deepEqual(expiredPage.next, expired.length > limit ? expired[limit - 1] : undefined);
}
