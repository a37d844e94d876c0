/** Listing tokens and revoking many at once (TOKEN-13, TOKEN-14). */
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, START, tokenParameters } from '../../test/create-test-method.js';
import { withMethods } from '../../test/intercept-commits.js';

async function world() {
  const test = createTestMethod();
  await test.putRole({ token: tokenParameters({ ttlSeconds: 3600 }) });
  await test.putRole({ name: 'q', roleId: 'id-of-q' });
  const instance = (instanceId: string) => test.cloud.launchInstance({ instanceId });
  const one = await test.login(instance('i-1'), { nonce: 'N' });
  const two = await test.login(instance('i-2'), { nonce: 'N', role: 'q' });
  const job = (await test.host('token.create', {}, { display_name: 'job-1', policies: 'jobs' })).auth;
  const root = await test.method.createRootToken();
  const revoke = async (fields: Readonly<Record<string, unknown>>) =>
    (await test.host('token.revoke-matching', {}, fields)).data;
  return { ...test, one, two, job, root, revoke };
}

describe('the list of tokens', () => {
  it('W2: names all that live, root tokens among them', async () => {
    const { host, one, two, job, tokens, clock } = await world();
    const { data } = await host('token.list');
    expect(data?.['keys']).toEqual(await tokens());
    const info = data?.['key_info'] as Record<string, Record<string, unknown>>;
    expect(info[one.accessor]).toMatchObject({ role: 'r', display_name: 'cloud', policies: ['default'] });
    expect(info[two.accessor]).toMatchObject({ role: 'q' });
    expect(info[job?.accessor ?? '']).toMatchObject({
      display_name: 'token-job-1',
      role: '',
      path: 'auth/token/create',
    });
    const root = Object.values(info).find(({ policies }) => (policies as string[]).includes('root'));
    expect(root).toMatchObject({ display_name: 'root', expire_time: null });
    clock.advance(3_600_000);
    expect((await host('token.list')).data?.['keys']).not.toContain(one.accessor);
  });

  it('W2: shows when a root token expires', async () => {
    const { method, host, call, clock } = createTestMethod();
    const token = await method.createRootToken({ expiresInSeconds: 60 });
    const { data } = await host('token.list');
    expect(Object.values(data?.['key_info'] ?? {})).toMatchObject([
      { policies: ['root'], expire_time: START / 1000 + 60 },
    ]);
    expect(await codeOf(call('role.list', { token }))).toBe('allowed');
    clock.advance(60_000);
    expect(await codeOf(call('role.list', { token }))).toBe('permission_denied');
    await expect(method.createRootToken({ expiresInSeconds: 0 })).rejects.toThrow(TypeError);
  });

  it('goes on where it ended', async () => {
    const { host, tokens } = await world();
    const seen: unknown[] = [];
    let after: unknown = '';
    for (let page = 0; page < 4; page += 1) {
      const { data, warnings } = await host('token.list', {}, { limit: 1, after });
      seen.push(...((data?.['keys'] ?? []) as string[]));
      expect(warnings?.length ?? 0).toBe(page < 3 ? 1 : 0);
      after = seen.at(-1);
    }
    expect(seen).toEqual(await tokens());
  });
});

describe('a walk through the tokens', () => {
  it.each([
    ['before it began', 0, []],
    ['while it read the accessors', 1, ['list']],
  ])('ends where its caller went away %s', async (_when, reads, expected) => {
    const first = await world();
    const controller = new AbortController();
    const asked: string[] = [];
    const { method } = createTestMethod({
      beside: first,
      storage: (inner) =>
        withMethods(inner, {
          async list(...given) {
            const page = await inner.list(...given);
            asked.push('list');
            controller.abort();
            return page;
          },
          async getMany(...given) {
            const records = await inner.getMany(...given);
            asked.push('getMany');
            return records;
          },
        }),
    });
    if (reads === 0) controller.abort();
    const call = { operation: 'token.list', params: {}, fields: {}, requestId: 'r', peerAddress: undefined };
    expect(await codeOf(method.handleAsHost({ ...call, signal: controller.signal }))).toBe('aborted');
    expect(asked).toEqual(expected);
  });
});

describe('revoking many tokens', () => {
  it.each([
    ['a role, in any case', { role: 'R' }, ['one']],
    ['an instance', { instance_id: 'i-2' }, ['two']],
    ['a prefix of the display name', { display_name_prefix: 'token-job' }, ['job']],
    ['a prefix and a role', { display_name_prefix: 'cloud', role: 'q' }, ['two']],
    ['nothing that there is', { instance_id: 'i-9' }, []],
  ] as const)('W2: ends those of %s, and says how many', async (_what, selection, gone) => {
    const test = await world();
    const accessors = { one: test.one.accessor, two: test.two.accessor, job: test.job?.accessor ?? '' };
    expect(await test.revoke({ ...selection, dry_run: true })).toEqual({
      revoked: gone.length,
      examined: 4,
      next: null,
    });
    expect(await test.tokens()).toHaveLength(4);
    expect(await test.revoke(selection)).toEqual({ revoked: gone.length, examined: 4, next: null });
    const left = await test.tokens();
    for (const [name, accessor] of Object.entries(accessors)) {
      expect([name, left.includes(accessor)]).toEqual([name, !(gone as readonly string[]).includes(name)]);
    }
    expect(test.events.at(-1)).toMatchObject({ details: { revoked: String(gone.length) } });
  });

  it('W2: ends those of an entity', async () => {
    const { revoke, one, tokens } = await world();
    expect(await revoke({ entity_id: one.entity_id })).toMatchObject({ revoked: 1 });
    expect(await tokens()).not.toContain(one.accessor);
  });

  it('is bounded, and goes on where it ended', async () => {
    const { revoke, tokens } = await world();
    let next: unknown;
    let revoked = 0;
    for (let page = 0; page < 4; page += 1) {
      const data = await revoke({ display_name_prefix: 'cloud', limit: 1, after: next });
      revoked += Number(data?.['revoked']);
      next = data?.['next'];
    }
    expect([revoked, next]).toEqual([2, null]);
    expect(await tokens()).toHaveLength(2);
  });

  it('does not take an empty selection for every token', async () => {
    const { revoke, tokens } = await world();
    expect(await codeOf(revoke({}))).toBe('field_missing');
    expect(await codeOf(revoke({ role: '' }))).toBe('field_missing');
    expect(await tokens()).toHaveLength(4);
  });
});
