/** Who may do what, and that nobody learns of what is not theirs (REGAPI-8, REG-8). */
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createTestRegistry, errorOf, MODULE, type TestRegistry, V1 } from '../test/create-test-registry.js';
import type { VersionCommand } from './input/input.js';
import type { RegistrySession } from './registry.js';
import type { RegistryCall } from './results.js';

const MISSING = { ...V1, version: '9.9.9' };
const ELSEWHERE = { ...V1, namespace: 'nobody' };

type Run = (test: TestRegistry, call: RegistryCall, version: typeof V1) => Promise<unknown>;

const MANAGE: readonly [string, Run][] = [
  ['deprecate', ({ registry }, call, version) => registry.open(call).deprecate(version, { reason: 'r' })],
  ['reinstate', ({ registry }, call, version) => registry.open(call).reinstate(version)],
  ['revoke', ({ registry }, call, version) => registry.open(call).revoke(version, {})],
  ['unrevoke', ({ registry }, call, version) => registry.open(call).unrevoke(version)],
];
const READ: readonly [string, Run][] = [
  ['readVersion', ({ registry }, call, version) => registry.open(call).readVersion(version)],
  ['status', ({ registry }, call, version) => registry.open(call).status(version)],
  ['history', ({ registry }, call, version) => registry.open(call).history(version)],
  ['authorizeDownload', ({ registry }, call, version) => registry.open(call).authorizeDownload(version)],
];
const MODULES: readonly [string, Run][] = [
  ['listVersions', ({ registry }, call, version) => registry.open(call).listVersions(version)],
  ['latest', ({ registry }, call, version) => registry.open(call).latest(version)],
  ['latestByProvider', ({ registry }, call, version) => registry.open(call).latestByProvider(version)],
  [
    'deprecateRange',
    ({ registry }, call, version) => registry.open(call).deprecateRange(version, { range: '1.0.0', dryRun: true }),
  ],
];
const OTHERS: readonly [string, Run][] = [
  ['statuses', ({ registry }, call, version) => registry.open(call).statuses([version])],
  ['listModules', ({ registry }, call) => registry.open(call).listModules()],
  ['access', ({ registry }, call) => registry.open(call).access('acme')],
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
      deprecate: (call: RegistryCall, version: typeof V1) => registry.open(call).deprecate(version, bad),
      revoke: (call: RegistryCall, version: typeof V1) => registry.open(call).revoke(version, bad),
      history: (call: RegistryCall, version: typeof V1) => registry.open(call).history(version, bad),
    };
    const attempt = Object.entries(calls).find(([each]) => each === name)?.[1];
    if (attempt === undefined) return;
    expect((await errorOf(attempt(test.stranger(), V1))).code).toBe('not_found');
    expect((await errorOf(attempt(test.stranger(), MISSING))).code).toBe('not_found');
    expect((await errorOf(attempt(test.manager(), V1))).code).toBe('input_invalid');
  });
});

describe('a caller who may only read', () => {
  it.each(MANAGE)('gets not_found from %s (REG-8)', async (_name, run) => {
    const test = createTestRegistry();
    expect(visible(await errorOf(run(test, test.reader(), V1)))).toBe(
      visible(await errorOf(run(test, test.manager(), MISSING))),
    );
    expect((await test.registry.open(test.reader()).status(V1)).state).toBe('active');
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
    expect(await test.registry.open(test[who]()).access(MODULE.namespace)).toEqual(expected);
  });
});

describe('a session', () => {
  const countingAuthorizer = () => {
    const test = createTestRegistry();
    const asked: string[] = [];
    const { identify, isAllowed } = test.authorizer;
    test.authorizer.identify = (...args) => {
      asked.push('identify');
      return identify(...args);
    };
    test.authorizer.isAllowed = (request, options) => {
      asked.push(`${request.action} ${request.namespace}`);
      return isAllowed(request, options);
    };
    return { ...test, asked };
  };

  it('asks for nothing before its first operation', () => {
    const { registry, manager, asked } = countingAuthorizer();
    registry.open(manager());
    expect(asked).toEqual([]);
  });

  it('identifies its caller once and asks for each right once, whatever it is used for', async () => {
    const { registry, manager, asked } = countingAuthorizer();
    const session = registry.open(manager());
    await Promise.all([session.status(V1), session.access('acme')]);
    await session.deprecate(V1, {});
    await session.listVersions(MODULE);
    expect(asked).toEqual(['identify', 'read acme', 'manage acme']);
  });

  it('with a rejected token leaves an event for each operation, and looks the token up once', async () => {
    const { registry, manager, asked, events, clock } = countingAuthorizer();
    const session = registry.open(manager({ token: 'wrong-token' }));
    expect((await errorOf(session.status(V1))).code).toBe('unauthorized');
    clock.advance(1000);
    expect((await errorOf(session.reinstate(V1))).code).toBe('unauthorized');
    expect(asked).toEqual(['identify']);
    expect(events.map(({ operation }) => operation)).toEqual(['registry.version.status', 'registry.version.reinstate']);
  });
});

describe('input that is read by a function', () => {
  const READS: readonly [
    string,
    (session: RegistrySession, version: typeof V1, read: () => never) => Promise<unknown>,
  ][] = [
    ['change', (session, version, read) => session.change(version, read)],
    ['deprecate', (session, version, read) => session.deprecate(version, read)],
    ['revoke', (session, version, read) => session.revoke(version, read)],
    ['deprecateRange', (session, version, read) => session.deprecateRange(version, read)],
    ['publish', (session, version, read) => session.publish(version, read)],
  ];

  it.each(READS)('of %s is not read for a caller without the right', async (_name, run) => {
    const { registry, stranger, reader, anonymous } = createTestRegistry();
    const read = () => {
      throw new Error('was read');
    };
    expect((await errorOf(run(registry.open(anonymous()), V1, read))).code).toBe('unauthorized');
    for (const call of [stranger(), reader()]) {
      expect((await errorOf(run(registry.open(call), V1, read))).code).toBe('not_found');
    }
  });

  it.each(READS)('of %s is refused with the error of its reader as the cause', async (_name, run) => {
    const { registry, manager, events } = createTestRegistry();
    const cause = new TypeError('unreadable');
    const error = await errorOf(
      run(registry.open(manager()), V1, () => {
        throw cause;
      }),
    );
    expect(error).toMatchObject({ code: 'input_invalid', cause });
    expect(events).toMatchObject([{ outcome: 'denied', code: 'input_invalid', principal: 'release-bot' }]);
  });

  it('names the operation of the event, once it is read', async () => {
    const { registry, manager, events } = createTestRegistry();
    const change = (command: VersionCommand) => registry.open(manager()).change(V1, () => command);
    expect(await change({ name: 'deprecate', input: { reason: 'r' } })).toMatchObject({
      command: 'deprecate',
      deprecation: { reason: 'r' },
    });
    expect(await change({ name: 'revoke', input: {} })).toMatchObject({ command: 'revoke', changed: true });
    await errorOf(registry.open(manager()).change(V1, () => Promise.reject(new Error('unreadable'))));
    expect(events.map(({ operation, outcome }) => [operation, outcome])).toEqual([
      ['registry.version.deprecate', 'allowed'],
      ['registry.version.revoke', 'allowed'],
      ['registry.version.deprecate', 'denied'],
    ]);
  });
});

describe('input that arrives slowly (TOKEN-15)', () => {
  const slow = (test: TestRegistry, meanwhile: () => unknown) => async () => {
    meanwhile();
    test.clock.advance(1_001);
    return { reason: 'late' };
  };

  it('is not acted upon where the token was revoked meanwhile', async () => {
    const test = createTestRegistry();
    const { registry, manager, reader, authorizer } = test;
    const input = slow(test, () => authorizer.revoke('manager-token'));
    const error = await errorOf(registry.open(manager()).deprecate(V1, input));
    expect(error).toMatchObject({ code: 'unauthorized' });
    expect(test.events).toMatchObject([{ outcome: 'denied', code: 'unauthorized', reason: 'token_unknown' }]);
    expect((await registry.open(reader()).status(V1)).state).toBe('active');
  });

  it('nor where its holder has lost the right', async () => {
    const test = createTestRegistry();
    const { registry, manager, authorizer } = test;
    const input = slow(test, () => {
      authorizer.isAllowed = async () => false;
    });
    expect(await errorOf(registry.open(manager()).deprecate(V1, input))).toMatchObject({ code: 'not_found' });
  });

  it('is, where the authorizer knows no second look', async () => {
    const test = createTestRegistry();
    const { registry, manager, authorizer } = test;
    const identify = authorizer.identify.bind(authorizer);
    authorizer.identify = async (...asked) => {
      const caller = await identify(...asked);
      return caller && Object.assign(caller, { holds: undefined });
    };
    const outcome = await registry.open(manager()).deprecate(
      V1,
      slow(test, () => undefined),
    );
    expect(outcome.changed).toBe(true);
  });

  it('and an upload is looked at again at its last byte, however fast it was', async () => {
    const test = createTestRegistry();
    const { registry, manager, authorizer, catalogue } = test;
    async function* content() {
      yield new Uint8Array([1]);
      authorizer.revoke('manager-token');
    }
    const version = { ...V1, version: '3.0.0' };
    expect(await errorOf(registry.open(manager()).publish(version, { content: content() }))).toMatchObject({
      code: 'unauthorized',
    });
    expect(await catalogue.hasVersion(version)).toBe(false);
  });
});
