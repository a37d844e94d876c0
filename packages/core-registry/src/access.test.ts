/** Who may do what, and that nobody learns of what is not theirs (REGAPI-8, REG-8). */
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createTestRegistry, errorOf, MODULE, type TestRegistry, V1 } from '../test/create-test-registry.js';
import type { RegistryCall } from './results.js';

const MISSING = { ...V1, version: '9.9.9' };
const ELSEWHERE = { ...V1, namespace: 'nobody' };

type Run = (test: TestRegistry, call: RegistryCall, version: typeof V1) => Promise<unknown>;

const MANAGE: readonly [string, Run][] = [
  ['deprecate', ({ registry }, call, version) => registry.deprecate(call, version, { reason: 'r' })],
  ['reinstate', ({ registry }, call, version) => registry.reinstate(call, version)],
  ['revoke', ({ registry }, call, version) => registry.revoke(call, version, {})],
  ['unrevoke', ({ registry }, call, version) => registry.unrevoke(call, version)],
];
const READ: readonly [string, Run][] = [
  ['readVersion', ({ registry }, call, version) => registry.readVersion(call, version)],
  ['status', ({ registry }, call, version) => registry.status(call, version)],
  ['history', ({ registry }, call, version) => registry.history(call, version)],
  ['authorizeDownload', ({ registry }, call, version) => registry.authorizeDownload(call, version)],
];
const MODULES: readonly [string, Run][] = [
  ['listVersions', ({ registry }, call, version) => registry.listVersions(call, version)],
  ['latest', ({ registry }, call, version) => registry.latest(call, version)],
  ['latestByProvider', ({ registry }, call, version) => registry.latestByProvider(call, version)],
  [
    'deprecateRange',
    ({ registry }, call, version) => registry.deprecateRange(call, version, { range: '1.0.0', dryRun: true }),
  ],
];
const OTHERS: readonly [string, Run][] = [
  ['statuses', ({ registry }, call, version) => registry.statuses(call, [version])],
  ['listModules', ({ registry }, call) => registry.listModules(call)],
  ['access', ({ registry }, call) => registry.access(call, 'acme')],
];

describe.each([...MANAGE, ...READ, ...MODULES, ...OTHERS])('%s', (_name, run) => {
  it.each([
    ['no token', undefined, 'token_missing'],
    ['an empty token', '', 'token_missing'],
    ['a wrong token', 'wrong-token', 'token_unknown'],
    ['a token beyond measure', 'x'.repeat(1 << 20), 'token_unknown'],
  ])('with %s is unauthorized', async (_which, token, reason) => {
    const test = createTestRegistry();
    const error = await errorOf(run(test, test.manager({ token }), V1));
    expect(error).toMatchObject({ code: 'unauthorized', kind: 'unauthorized', details: {} });
    expect(test.catalogue.calls()).toEqual([]);
    expect(test.events).toMatchObject([{ outcome: 'denied', code: 'unauthorized', reason, principal: undefined }]);
  });
});

/** Everything of an error that a caller could see. */
const visible = (error: Error) => inspect({ ...error, message: error.message }, { depth: 9 });

describe.each([...MANAGE, ...READ])('%s of what is not there, or not theirs', (name, run) => {
  it('is one and the same error, after the same look-ups', async () => {
    const test = createTestRegistry();
    const seen = new Set<string>();
    const lookUps = new Set<string>();
    for (const [call, version, reason] of [
      [test.manager(), MISSING, 'missing'],
      [test.stranger(), V1, 'not_allowed'],
      [test.stranger(), MISSING, 'not_allowed'],
      [test.manager(), ELSEWHERE, 'not_allowed'],
    ] as const) {
      const before = test.catalogue.calls().length;
      seen.add(visible(await errorOf(run(test, call, version))));
      lookUps.add(test.catalogue.calls().slice(before).join());
      expect(test.events.at(-1)).toMatchObject({ outcome: 'denied', code: 'not_found', reason });
    }
    for (const version of [
      { ...V1, version: '1.0' },
      { ...V1, name: '../x' },
    ]) {
      seen.add(visible(await errorOf(run(test, test.manager(), version))));
      expect(test.events.at(-1)).toMatchObject({ reason: 'address_malformed' });
    }
    expect([...seen]).toHaveLength(1);
    expect([...lookUps]).toHaveLength(1);
  });

  it('says nothing of malformed input either', async () => {
    const test = createTestRegistry();
    const bad = { reason: 5, limit: -1 } as never;
    const { registry } = test;
    const calls = {
      deprecate: (call: RegistryCall, version: typeof V1) => registry.deprecate(call, version, bad),
      revoke: (call: RegistryCall, version: typeof V1) => registry.revoke(call, version, bad),
      history: (call: RegistryCall, version: typeof V1) => registry.history(call, version, bad),
    };
    const attempt = Object.entries(calls).find(([each]) => each === name)?.[1];
    if (attempt === undefined) return;
    expect((await errorOf(attempt(test.stranger(), V1))).code).toBe('not_found');
    expect((await errorOf(attempt(test.stranger(), MISSING))).code).toBe('not_found');
    expect((await errorOf(attempt(test.manager(), V1))).code).toBe('input_invalid');
  });
});

describe('a caller who may only read', () => {
  it.each(MANAGE)('is told by %s that there is nothing (REG-8)', async (_name, run) => {
    const test = createTestRegistry();
    expect(visible(await errorOf(run(test, test.reader(), V1)))).toBe(
      visible(await errorOf(run(test, test.manager(), MISSING))),
    );
    expect((await test.registry.status(test.reader(), V1)).state).toBe('active');
  });

  it.each(READ)('may %s', async (_name, run) => {
    const test = createTestRegistry();
    await expect(run(test, test.reader(), V1)).resolves.toBeDefined();
  });
});

describe.each(MODULES)('%s of a module', (_name, run) => {
  it('that is not there, or not theirs, is not found', async () => {
    const test = createTestRegistry();
    const seen = new Set<string>();
    seen.add(visible(await errorOf(run(test, test.stranger(), V1))));
    seen.add(visible(await errorOf(run(test, test.manager(), { ...V1, name: 'none' }))));
    seen.add(visible(await errorOf(run(test, test.manager(), ELSEWHERE))));
    seen.add(visible(await errorOf(run(test, test.manager(), { ...V1, name: 'no/ne' }))));
    expect([...seen]).toHaveLength(1);
  });
});

describe('what a caller may do', () => {
  it.each([
    ['manager', { caller: 'release-bot', canRead: true, canManage: true }],
    ['reader', { caller: 'reader', canRead: true, canManage: false }],
    ['stranger', { caller: 'stranger', canRead: false, canManage: false }],
  ] as const)('is told: %s', async (who, expected) => {
    const test = createTestRegistry();
    expect(await test.registry.access(test[who](), MODULE.namespace)).toEqual(expected);
  });
});
