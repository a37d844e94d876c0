/** Ranges: what they name, what a dry run tells, and what is told where they stop half-way. */
import { describe, expect, it } from 'vitest';
import {
  contentsOf,
  createTestRegistry,
  errorOf,
  MODULE,
  type TestRegistry,
  V1,
} from '../../test/create-test-registry.js';
import { MAX_RANGE_VERSIONS } from './range-command.js';

const VERSIONS = ['1.0.0', '1.1.0', '1.2.0-beta.1', '1.2.0', '2.0.0', '1.10.0'];

/** 1.0.0 says this already, 1.1.0 says something else, 1.2.0 is revoked, the others are active. */
async function prepared(): Promise<TestRegistry> {
  const test = createTestRegistry({ versions: VERSIONS });
  const { registry, manager } = test;
  await registry.open(manager()).deprecate(V1, { reason: 'r' });
  for (const version of ['1.1.0', '1.2.0'])
    await registry.open(manager()).deprecate({ ...V1, version }, { reason: 'other' });
  await registry.open(manager()).revoke({ ...V1, version: '1.2.0' }, {});
  return test;
}

const TOUCHED = [
  { version: '1.0.0', from: 'deprecated', to: 'deprecated', action: 'none' },
  { version: '1.1.0', from: 'deprecated', to: 'deprecated', action: 'revise' },
  { version: '1.2.0', from: 'revoked', to: 'revoked', action: 'revise' },
  { version: '1.10.0', from: 'active', to: 'deprecated', action: 'deprecate' },
];

describe('a range', () => {
  it('tells in a dry run what it would touch, and touches nothing', async () => {
    const { registry, manager, memory, events } = await prepared();
    const before = await contentsOf(memory);
    const outcome = await registry
      .open(manager())
      .deprecateRange(MODULE, { range: '~> 1.0', dryRun: true, reason: 'r' });
    expect(outcome).toEqual({
      module: MODULE,
      range: '~> 1.0',
      dryRun: true,
      complete: true,
      changes: TOUCHED.map((each) => ({ ...each, outcome: 'planned' })),
    });
    expect(await contentsOf(memory)).toEqual(before);
    expect(events.at(-1)).toMatchObject({
      operation: 'registry.module.deprecate-range',
      details: { range: '~> 1.0', dry_run: 'true', planned: '4', done: '0' },
    });
  });

  it('does what its dry run told, oldest first, each version by its own commit', async () => {
    const { registry, manager, reader, events } = await prepared();
    const already = events.length;
    const call = manager();
    const outcome = await registry.open(call).deprecateRange(MODULE, { range: '~> 1.0', dryRun: false, reason: 'r' });
    expect(outcome).toMatchObject({ complete: true, dryRun: false });
    expect(outcome.changes).toEqual(TOUCHED.map((each) => ({ ...each, outcome: 'done' })));
    const states = await registry.open(reader()).listVersions(MODULE);
    expect(
      states.versions.map(({ summary, status }) => [summary.version, status.state, status.deprecation?.reason]),
    ).toEqual([
      ['2.0.0', 'active', undefined],
      ['1.10.0', 'deprecated', 'r'],
      ['1.2.0', 'revoked', 'r'],
      ['1.2.0-beta.1', 'active', undefined],
      ['1.1.0', 'deprecated', 'r'],
      ['1.0.0', 'deprecated', 'r'],
    ]);
    const recorded = events.slice(already);
    expect(recorded.map(({ operation }) => operation)).toEqual([
      ...TOUCHED.map(() => 'registry.version.deprecate'),
      'registry.module.deprecate-range',
    ]);
    for (const event of recorded) expect(event).toMatchObject({ requestId: call.requestId, principal: 'release-bot' });
    expect(recorded.at(-1)?.details).toMatchObject({ done: '4', failed: '0' });
  });

  it('names prereleases when asked to', async () => {
    const { registry, manager } = await prepared();
    const plan = (includePrereleases: boolean) =>
      registry.open(manager()).deprecateRange(MODULE, {
        range: '>= 1.2.0-beta.1, <= 1.2',
        dryRun: true,
        includePrereleases,
      });
    expect((await plan(false)).changes.map(({ version }) => version)).toEqual(['1.2.0']);
    expect((await plan(true)).changes.map(({ version }) => version)).toEqual(['1.2.0-beta.1', '1.2.0']);
  });

  it('that names none is done', async () => {
    const { registry, manager } = await prepared();
    const outcome = await registry.open(manager()).deprecateRange(MODULE, { range: '> 9', dryRun: false });
    expect(outcome).toMatchObject({ complete: true, changes: [] });
  });

  it.each([
    ['unavailable', 'storage_unavailable'],
    ['lost_unknown', 'storage_outcome_unknown'],
  ] as const)('that stops half-way (%s) tells what stands, what failed and what is left', async (fault, code) => {
    const test = createTestRegistry({ versions: ['1.0.0', '1.1.0', '1.2.0'] });
    const { registry, manager, reader, storage } = test;
    const { commit } = storage;
    let commits = 0;
    storage.commit = (operations, options) => {
      commits += 1;
      if (commits > 1) storage.failNextCommit(fault);
      return commit.call(storage, operations, options);
    };
    const outcome = await registry.open(manager()).deprecateRange(MODULE, { range: '~> 1.0', dryRun: false });
    expect(outcome.complete).toBe(false);
    expect(outcome.changes).toMatchObject([
      { version: '1.0.0', outcome: 'done', action: 'deprecate' },
      { version: '1.1.0', outcome: 'failed', code },
      { version: '1.2.0', outcome: 'not-attempted' },
    ]);
    storage.commit = commit;
    const list = await registry.open(reader()).listVersions(MODULE);
    expect(list.versions.map(({ status }) => status.state)).toEqual(['active', 'active', 'deprecated']);
    // Repeating it finishes it.
    expect((await registry.open(manager()).deprecateRange(MODULE, { range: '~> 1.0', dryRun: false })).complete).toBe(
      true,
    );
  });

  it('that fails before anything stands is an error', async () => {
    const { registry, manager, storage, memory } = await prepared();
    const before = await contentsOf(memory);
    storage.failNextCommit('unavailable');
    const call = registry.open(manager()).deprecateRange(MODULE, { range: '~> 1.0', dryRun: false, reason: 'r' });
    expect((await errorOf(call)).code).toBe('storage_unavailable');
    expect(await contentsOf(memory)).toEqual(before);
  });

  it('has a bound', async () => {
    const versions = Array.from({ length: MAX_RANGE_VERSIONS + 1 }, (_, n) => `1.0.${n}`);
    const { registry, manager } = createTestRegistry({ versions });
    const plan = (range: string) => registry.open(manager()).deprecateRange(MODULE, { range, dryRun: true });
    expect(await errorOf(plan('>= 1.0'))).toMatchObject({ code: 'range_too_wide', kind: 'invalid', pointer: '/range' });
    expect((await plan('> 1.0.0')).changes).toHaveLength(MAX_RANGE_VERSIONS);
  });
});
