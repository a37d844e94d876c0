/** Contract: each precondition, for each operation, on a key that is absent, present, or present in another version. */
import assert from 'node:assert/strict';
import type { Precondition, RecordOperation } from '@postern/ports';
import { type ContractDefinition, put, rejects } from './contract-case.js';

type Condition =
  | 'any'
  | 'absent'
  | 'present'
  | 'current version'
  | 'old version'
  | 'version of another key'
  | 'no version';

/** On which state of the key each condition holds. */
const holds: Readonly<Record<Condition, { readonly absent: boolean; readonly present: boolean }>> = {
  any: { absent: true, present: true },
  absent: { absent: true, present: false },
  present: { absent: false, present: true },
  'current version': { absent: false, present: true },
  'old version': { absent: false, present: false },
  'version of another key': { absent: false, present: false },
  'no version': { absent: false, present: false },
};

const conditions: readonly Condition[] = [
  'any',
  'absent',
  'present',
  'current version',
  'old version',
  'version of another key',
  'no version',
];

export const preconditionCases: readonly ContractDefinition[] = (['put', 'delete', 'check'] as const).flatMap((type) =>
  (['absent', 'present'] as const).flatMap((state) =>
    conditions.map(
      (condition): ContractDefinition => ({
        name: `preconditions: ${type} if ${condition}, on a key that is ${state}, ${
          holds[condition][state] ? 'applies' : 'conflicts'
        }`,
        run: (context) => runPrecondition(context, type, state, condition),
      }),
    ),
  ),
);

async function runPrecondition(
  { storage }: Parameters<ContractDefinition['run']>[0],
  type: RecordOperation['type'],
  state: 'absent' | 'present',
  condition: Condition,
): Promise<void> {
  const other = await put(storage, 'other', 'other');
  const old = await put(storage, 'k', 'old');
  const current = await put(storage, 'k', 'current');
  if (state === 'absent') await storage.commit([{ type: 'delete', key: 'k', if: 'present' }]);
  const before = await storage.get('k');
  const operation = operationOf(type, preconditionOf(condition, { old, current, other }));

  if (!holds[condition][state]) {
    const conflict = await rejects(storage.commit([operation]), 'conflict');
    assert.deepEqual(conflict.keys, ['k']);
    assert.deepEqual(await storage.get('k'), before);
    return;
  }
  const { versions } = await storage.commit([operation]);
  const after = await storage.get('k');
  assert.equal(versions.length, 1);
  if (type === 'put') {
    assert.equal(after?.value, 'new');
    assert.equal(after?.version, versions[0]);
    assert.ok(![old, current, other].includes(String(versions[0])), 'a put gives a new version');
  } else {
    assert.equal(versions[0], undefined);
    assert.deepEqual(after, type === 'delete' ? undefined : before);
  }
}

function operationOf(type: RecordOperation['type'], condition: Precondition): RecordOperation {
  return type === 'put' ? { type, key: 'k', value: 'new', if: condition } : { type, key: 'k', if: condition };
}

function preconditionOf(
  condition: Condition,
  versions: { readonly old: string; readonly current: string; readonly other: string },
): Precondition {
  switch (condition) {
    case 'any':
    case 'absent':
    case 'present':
      return condition;
    case 'current version':
      return { version: versions.current };
    case 'old version':
      return { version: versions.old };
    case 'version of another key':
      return { version: versions.other };
    case 'no version':
      return { version: 'never given out' };
  }
}
