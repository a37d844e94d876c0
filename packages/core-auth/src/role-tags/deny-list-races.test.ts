/**
 * A tag that is deny-listed while logins with it are under way (DENY-4, THREAT-33): once the operator has the
 * answer, no login with it succeeds, through several processes, with slow storage and injected conflicts.
 */
import type { Storage } from '@postern/ports';
import { createFaultStorage } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, START } from '../../test/create-test-method.js';
import { interceptCommits } from '../../test/intercept-commits.js';
import { TAG_KEY, taggedRole, taggedWorld, tagText } from '../../test/role-tags.js';

const SEEDS = Array.from({ length: 8 }, (_, at) => at + 1);
const LOGINS = 12;

/** Runs `hook` once, right before the next commit of a login. */
function beforeLoginCommit(inner: Storage, hook: () => Promise<unknown>): Storage {
  let ran = false;
  return interceptCommits(inner, async (operations, options) => {
    if (!ran && operations.some((one) => one.type !== 'append' && one.key.includes('/access-list/'))) {
      ran = true;
      await hook();
    }
    return inner.commit(operations, options);
  });
}

describe('a tag deny-listed', () => {
  it('between the look at the list and the commit of a login does not log in', async () => {
    const first = await taggedWorld();
    const text = await tagText();
    first.instance.setTags({ [TAG_KEY]: text });
    const slow = createTestMethod({
      beside: first,
      storage: (inner) => beforeLoginCommit(inner, () => first.host('deny-list.write', { role_tag: text })),
    });
    expect(await codeOf(slow.login(first.instance, { nonce: 'N' }))).toBe('role_tag_deny_listed');
    expect(await first.entry('i-1')).toBeUndefined();
    expect(await first.tokens()).toEqual([]);
  });

  it('and freed meanwhile logs in', async () => {
    const first = await taggedWorld();
    const text = await tagText();
    first.instance.setTags({ [TAG_KEY]: text });
    const slow = createTestMethod({
      beside: first,
      storage: (inner) =>
        beforeLoginCommit(inner, async () => {
          await first.host('deny-list.write', { role_tag: text });
          await first.host('deny-list.delete', { role_tag: text });
        }),
    });
    expect(await codeOf(slow.login(first.instance, { nonce: 'N' }))).toBe('allowed');
  });

  it('never logs in after the answer to the operator', async () => {
    const met = { before: 0, denied: 0 };
    for (const seed of SEEDS) {
      const first = createTestMethod();
      await first.putRole(taggedRole({ boundAmiIds: [] }));
      const text = await tagText();
      const process = (at: number) =>
        createTestMethod({
          beside: first,
          storage: (inner) =>
            createFaultStorage(inner, { seed: seed * 10 + at, maxYields: 8, commits: { conflict: 0.2 } }),
        });
      const [one, two, three] = [process(1), process(2), process(3)];
      // The audit key is there before.
      await Promise.all([one, two, three].map((each) => codeOf(each.call('token.lookup-self', { token: 'x' }))));
      const codes: unknown[] = [];
      let answered = false;
      const logins = Array.from({ length: LOGINS }, async (_, at) => {
        const instance = first.cloud.launchInstance({ tags: { [TAG_KEY]: text } });
        for (let turn = 0; turn < at * seed; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        const begunAfter = answered;
        const code = await codeOf((at % 2 === 0 ? one : two).login(instance));
        if (begunAfter) expect(code).toBe('role_tag_deny_listed');
        codes.push(code);
      });
      await three.host('deny-list.write', { role_tag: text });
      answered = true;
      const issued = await first.tokens();
      await Promise.all(logins);
      // Also of the logins that were under way none was given a token after the answer.
      expect(await first.tokens()).toEqual(issued);
      expect(codes.filter((code) => code === 'allowed')).toHaveLength(issued.length);
      expect([...new Set(codes)].filter((code) => code !== 'allowed' && code !== 'role_tag_deny_listed')).toEqual([]);
      met.before += issued.length;
      met.denied += LOGINS - issued.length;
    }
    expect(met.before).toBeGreaterThan(0);
    expect(met.denied).toBeGreaterThan(0);
  });

  it('by two operators at once is listed once, with one creation time', async () => {
    const first = await taggedWorld();
    const text = await tagText();
    const operators = [1, 2, 3, 4].map((seed) =>
      createTestMethod({
        beside: first,
        storage: (inner) => createFaultStorage(inner, { seed, maxYields: 4, commits: { conflict: 0.3 } }),
      }),
    );
    const codes = await Promise.all(
      operators.map((operator) => codeOf(operator.host('deny-list.write', { role_tag: text }))),
    );
    expect(codes).toEqual(['allowed', 'allowed', 'allowed', 'allowed']);
    const entries = await first.inside.collections.denyList.all();
    expect(entries.map(({ value }) => [value.tag, value.createdAt])).toEqual([[text, START]]);
  });

  it('is not deny-listed when the storage fails, and says so', async () => {
    const first = await taggedWorld();
    const text = await tagText();
    const broken = createTestMethod({
      beside: first,
      storage: (inner) => createFaultStorage(inner, { commits: { unavailable: 1 } }),
    });
    expect(await codeOf(broken.host('deny-list.write', { role_tag: text }))).toBe('storage_unavailable');
    expect((await first.host('deny-list.list')).data).toEqual({ keys: [] });
  });

  it('that cannot be looked up is not let in', async () => {
    const first = await taggedWorld();
    first.instance.setTags({ [TAG_KEY]: await tagText() });
    const blind = createTestMethod({
      beside: first,
      storage: (inner) => ({
        ...beforeLoginCommit(inner, async () => undefined),
        get: (key, options) =>
          key.includes('/deny-list/')
            ? createFaultStorage(inner, { reads: { unavailable: 1 } }).get(key)
            : inner.get(key, options),
      }),
    });
    expect(await codeOf(blind.login(first.instance))).toBe('storage_unavailable');
    expect(await first.tokens()).toEqual([]);
  });
});
