/** Every (state, command) pair: what it answers, what stands after it, and what history and events tell (REG-1). */
import type { ModuleVersionState } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { createTestRegistry, errorOf, START, type TestRegistry, V1 } from '../../test/create-test-registry.js';
import { COMMANDS, type Command, STATES } from './transitions.js';

/** Brings version 1.0.0 to a state, then lets a second pass. */
async function bring({ registry, manager, clock }: TestRegistry, state: ModuleVersionState): Promise<void> {
  if (state === 'active') return;
  await registry.open(manager()).deprecate(V1, { reason: 'old', link: 'https://old.example/', reasonClass: 'legacy' });
  if (state === 'revoked')
    await registry.open(manager()).revoke(V1, { reason: 'stolen', link: 'https://stolen.example/' });
  clock.advance(1000);
}

function run({ registry, manager }: TestRegistry, command: Command) {
  switch (command) {
    case 'deprecate':
      return registry.open(manager()).deprecate(V1, { reason: 'new' });
    case 'revoke':
      return registry.open(manager()).revoke(V1, { reason: 'new' });
    default:
      return registry.open(manager())[command](V1);
  }
}

const old = { reason: 'old', link: 'https://old.example/', reasonClass: 'legacy', at: START, by: 'release-bot' };
const stolen = { reason: 'stolen', link: 'https://stolen.example/', at: START };
const later = START + 1000;
const fresh = { reason: 'new', link: null, revisedAt: null, revisedBy: null };
const revised = { reason: 'new', link: null, at: START, revisedAt: later, revisedBy: 'release-bot' };

type Row = [
  ModuleVersionState,
  Command,
  { to?: ModuleVersionState; deprecation?: unknown; revocation?: unknown } | string,
];

const TABLE: readonly Row[] = [
  ['active', 'deprecate', { to: 'deprecated', deprecation: { ...fresh, at: START }, revocation: null }],
  ['active', 'reinstate', { deprecation: null, revocation: null }],
  ['active', 'revoke', 'revoke_not_deprecated'],
  ['active', 'unrevoke', { deprecation: null, revocation: null }],
  ['deprecated', 'deprecate', { to: 'deprecated', deprecation: { ...revised, reasonClass: null }, revocation: null }],
  ['deprecated', 'reinstate', { to: 'active', deprecation: null, revocation: null }],
  ['deprecated', 'revoke', { to: 'revoked', deprecation: old, revocation: { ...fresh, at: later } }],
  ['deprecated', 'unrevoke', { deprecation: old, revocation: null }],
  ['revoked', 'deprecate', { to: 'revoked', deprecation: { ...revised, reasonClass: null }, revocation: stolen }],
  ['revoked', 'reinstate', 'reinstate_revoked'],
  ['revoked', 'revoke', { to: 'revoked', deprecation: old, revocation: revised }],
  ['revoked', 'unrevoke', { to: 'deprecated', deprecation: old, revocation: null }],
];

describe('the table of transitions', () => {
  it('has a row here for every pair', () => {
    const pairs = STATES.flatMap((state) => COMMANDS.map((command) => `${state} ${command}`));
    expect(TABLE.map(([state, command]) => `${state} ${command}`)).toEqual(pairs);
  });

  it.each(TABLE)('%s, %s', async (from, command, expected) => {
    const test = createTestRegistry();
    await bring(test, from);
    const { registry, reader, published } = test;
    const before = await registry.open(reader()).status(V1);
    const history = await registry.open(reader()).history(V1);
    const told = published.length;
    expect(before.state).toBe(from);

    if (typeof expected === 'string') {
      expect(await errorOf(run(test, command))).toMatchObject({ code: expected, kind: 'conflict' });
      expect(await registry.open(reader()).status(V1)).toEqual(before);
      expect(await registry.open(reader()).history(V1)).toEqual(history);
      expect(published).toHaveLength(told);
      return;
    }

    const { to, ...notices } = expected;
    const outcome = await run(test, command);
    expect(outcome.changed).toBe(to !== undefined);
    expect(outcome.status).toMatchObject({ state: to ?? from, ...notices });
    expect(await registry.open(reader()).status(V1)).toEqual(outcome.status);
    const { entries, total } = await registry.open(reader()).history(V1);
    expect(total).toBe(history.total + (to === undefined ? 0 : 1));
    expect(published).toHaveLength(told + (to === undefined ? 0 : 1));
    if (to === undefined) return;
    expect(entries.slice(1)).toEqual(history.entries);
    const reason = command === 'deprecate' || command === 'revoke' ? 'new' : null;
    expect(entries[0]).toMatchObject({ seq: total, command, from, to, reason, actor: 'release-bot' });
    expect(published.at(-1)).toMatchObject({ version: V1, from, to, reason, actor: 'release-bot' });
  });
});

describe('a notice', () => {
  it('that says exactly the same again leaves no trace, by any caller', async () => {
    const { registry, manager, reader, published, clock } = createTestRegistry();
    const input = { reason: 'r', link: 'https://x.example/', replacement: { version: '~> 2.0' }, sunset: '2027-01-31' };
    const first = await registry.open(manager()).deprecate(V1, input);
    clock.advance(1000);
    expect(await registry.open(manager()).deprecate(V1, { ...input })).toEqual({ ...first, changed: false });
    await registry.open(manager()).revoke(V1, { reason: 's' });
    expect((await registry.open(manager()).revoke(V1, { reason: 's' })).changed).toBe(false);
    expect((await registry.open(reader()).history(V1)).total).toBe(2);
    expect(published).toHaveLength(2);
  });

  it.each([
    ['reason', { reason: 'other' }],
    ['link', { link: 'https://y.example/' }],
    ['reason class', { reasonClass: 'security' as const }],
    ['replacement module', { replacement: { module: 'acme/vpc/aws', version: '~> 2.0' } }],
    ['replacement version', { replacement: { version: '~> 3.0' } }],
    ['replacement, none', { replacement: null }],
    ['sunset', { sunset: '2027-02-01' }],
  ])('that differs in its %s replaces the one before, under the same id', async (_name, change) => {
    const { registry, manager } = createTestRegistry();
    const input = { reason: 'r', link: 'https://x.example/', replacement: { version: '~> 2.0' }, sunset: '2027-01-31' };
    const first = await registry.open(manager()).deprecate(V1, input);
    const second = await registry.open(manager()).deprecate(V1, { ...input, ...change });
    expect(second.changed).toBe(true);
    expect(second.deprecation.id).toBe(first.deprecation.id);
    expect(second.deprecation).not.toEqual(first.deprecation);
  });

  it('after reinstating is another one, under another id', async () => {
    const { registry, manager } = createTestRegistry();
    const first = await registry.open(manager()).deprecate(V1, {});
    await registry.open(manager()).reinstate(V1);
    const second = await registry.open(manager()).deprecate(V1, {});
    expect(second.deprecation.id).not.toBe(first.deprecation.id);
  });

  it('of nothing is a deprecation too (REG-5)', async () => {
    const { registry, manager, reader } = createTestRegistry();
    await registry.open(manager()).deprecate(V1, {});
    expect(await registry.open(reader()).status(V1)).toMatchObject({
      id: 'acme/network/aws/1.0.0',
      state: 'deprecated',
      deprecation: { reason: null, link: null, reasonClass: null, replacement: null, sunsetAt: null },
    });
  });
});
