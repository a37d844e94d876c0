/** The deny list as operators see it (DENY-3, DENY-4, DENY-1, WIRE-8, DENY-2). */
import { describe, expect, it } from 'vitest';
import { answerOf } from '../../test/answers.js';
import { codeOf, createTestMethod, START, tokenParameters } from '../../test/create-test-method.js';
import { signText, taggedWorld, tagText } from '../../test/role-tags.js';

const HOUR = 3600;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const base64Url = (text: string) => Buffer.from(text).toString('base64url');
const read = (data: unknown) => ({ data });

/** A tag whose base64 differs between the dialects, and which holds a slash and a plus sign itself. */
const AWKWARD = signText('v1:/+/+/+/+/+8=:r=r:d=false:m=false:p=p?,~~~~~~~');

/** Lengths that leave no, two and one characters of padding. */
const AWKWARD_OF_EVERY_LENGTH = ['', ':t=1', ':t=10'].map((limit) =>
  signText(`v1:/+/+/+/+/+8=:r=r:d=false:m=false:p=p?,~~~~~~~${limit}`),
);

async function world(text = AWKWARD) {
  const test = await taggedWorld({ token: tokenParameters({ policies: ['p?', '~~~~~~~', 'p'], maxTtlSeconds: HOUR }) });
  const deny = (tag = text) => test.host('deny-list.write', { role_tag: tag });
  const show = (tag = text) => test.host('deny-list.read', { role_tag: tag });
  const allow = (tag = text) => test.host('deny-list.delete', { role_tag: tag });
  const list = async () => (await test.host('deny-list.list')).data?.['keys'];
  return { ...test, text, deny, show, allow, list };
}

describe('the deny list', () => {
  it('is empty at first', async () => {
    const { list, show, allow } = await world();
    expect(await list()).toEqual([]);
    expect(await codeOf(show())).toBe('not_found');
    expect(await answerOf(allow())).toBe('204');
  });

  it('takes a tag, shows its times and bars it from logins (rtl-016)', async () => {
    const { deny, show, text, loginWith, entry, tokens } = await world();
    expect(await answerOf(deny())).toBe('204');
    expect(await show()).toEqual(
      read({ creation_time: '2026-11-21T09:00:00.000Z', expiration_time: '2026-11-23T09:00:00.000Z' }),
    );
    await expect(loginWith(text)).rejects.toMatchObject({ code: 'role_tag_deny_listed', kind: 'denied' });
    expect(await entry('i-1')).toBeUndefined();
    expect(await tokens()).toEqual([]);
  });

  it('lists tags in clear, sorted, whatever way they came', async () => {
    const { deny, list, text } = await world();
    const other = await tagText();
    await deny(base64(text));
    await deny(other);
    expect(await list()).toEqual([text, other].sort());
  });

  it('walks every page', async () => {
    const { inside, memory, list } = await world();
    for (let page = 0; page < 60; page += 1) {
      const writes = Array.from({ length: 20 }, (_, at) => {
        const entry = { tag: `tag ${page} ${at}`, createdAt: START, expiresAt: START };
        return inside.collections.denyList.put(`id-${page}-${at}`, entry, 'any', START);
      });
      await memory.commit(writes);
    }
    expect(await list()).toHaveLength(1200);
  });

  it.each([
    ['in clear', (text: string) => text],
    ['in base64', base64],
  ])('frees a tag %s', async (_form, written) => {
    const { deny, allow, list, loginWith, text } = await world();
    await deny();
    expect(await answerOf(allow(written(text)))).toBe('204');
    expect(await list()).toEqual([]);
    expect(await codeOf(loginWith(text))).toBe('allowed');
  });

  it('keeps the creation time of a tag that is denied again and renews its expiration', async () => {
    const { deny, show, clock, list } = await world();
    await deny();
    clock.advance(HOUR * 1000);
    expect(await answerOf(deny())).toBe('204');
    expect(await show()).toEqual(
      read({ creation_time: '2026-11-21T09:00:00.000Z', expiration_time: '2026-11-23T10:00:00.000Z' }),
    );
    expect(await list()).toHaveLength(1);
  });

  it.each([
    ['the mount', 0, 0, 48 * HOUR],
    ['the role', 0, 100 * HOUR, 100 * HOUR],
    ['the tag', 500 * HOUR, 100 * HOUR, 500 * HOUR],
  ])('keeps a tag as long as the longest of mount, role and tag: %s', async (_name, ofTag, ofRole, lifetime) => {
    const { deny, inside, memory, putRole } = await world();
    await putRole({ token: tokenParameters({ maxTtlSeconds: ofRole }) });
    await deny(await tagText({ maxTtlSeconds: ofTag }));
    const [entry] = await inside.collections.denyList.all();
    expect(entry?.value.expiresAt).toBe(START + lifetime * 1000);
    // What tidying will find it by.
    const { prefix } = inside.collections.denyList;
    expect((await memory.listExpired(prefix, START + lifetime * 1000, { limit: 9 })).items).toEqual([]);
    expect((await memory.listExpired(prefix, START + lifetime * 1000 + 1, { limit: 9 })).items).toHaveLength(1);
  });

  it('bars a tag past its expiration until it is tidied away: tags do not expire', async () => {
    const { deny, loginWith, text, clock } = await world();
    await deny();
    clock.advance(1000 * HOUR * 1000);
    expect(await codeOf(loginWith(text))).toBe('role_tag_deny_listed');
  });

  it('does not bar a renewal (DENY-4)', async () => {
    const { deny, loginWith, text, call } = await world();
    const { client_token } = await loginWith(text);
    await deny();
    expect(await codeOf(call('token.renew-self', { token: client_token }))).toBe('allowed');
    expect(await codeOf(call('token.lookup-self', { token: client_token }))).toBe('allowed');
    expect(await codeOf(loginWith(text))).toBe('role_tag_deny_listed');
  });
});

describe('a tag in a path is raw or base64, alike for every verb (DENY-2)', () => {
  const forms: readonly [string, (text: string) => string][] = [
    ['raw', (text) => text],
    ['standard base64', base64],
    ['URL-safe base64', base64Url],
    ['URL-safe base64 with padding', (text) => base64(text).replaceAll('+', '-').replaceAll('/', '_')],
  ];

  it.each(forms)('%s', async (_name, spell) => {
    for (const text of AWKWARD_OF_EVERY_LENGTH) {
      const { deny, show, allow, list, loginWith } = await world(text);
      await deny(spell(text));
      expect(await list()).toEqual([text]);
      for (const [, other] of forms) expect(await codeOf(show(other(text)))).toBe('allowed');
      expect(await codeOf(loginWith(text))).toBe('role_tag_deny_listed');
      await allow(spell(text));
      expect(await list()).toEqual([]);
    }
  });

  it('the dialects do differ', () => {
    expect(base64(AWKWARD)).toMatch(/\+.*\+/);
    expect(base64Url(AWKWARD)).toMatch(/[-_]/);
    expect(AWKWARD_OF_EVERY_LENGTH.map((text) => base64(text).replace(/^[^=]*/, '').length).sort()).toEqual([0, 1, 2]);
    expect(AWKWARD.split(':')[1]).toMatch(/[+/]/);
  });

  it.each<[string, string]>([
    ['base64 of base64', base64(base64(AWKWARD))],
    ['nothing', ''],
    ['a slash', '/'],
    ['garbage', 'garbage'],
    ['base64 of garbage', base64('garbage')],
    ['base64 of bytes that are no text', Buffer.from([0x76, 0x31, 0x3a, 0xff]).toString('base64')],
    ['both alphabets in one', base64(AWKWARD).replace('+', '-')],
    ['a trailing slash', `${AWKWARD}/`],
    ['a trailing newline', `${AWKWARD}\n`],
    ['base64 of a tag with a newline', base64(`${AWKWARD}\n`)],
    ['another MAC', signText('v1:/+/+/+/+/+8=:r=r:d=false:m=false', 'another key')],
    ['a megabyte', 'v1:'.repeat(350_000)],
    ['a megabyte of base64', 'AAAA'.repeat(260_000)],
  ])('%s is refused with 400, is not there and is not deleted', async (_name, form) => {
    const { deny, show, allow, list } = await world();
    await deny();
    await expect(deny(form)).rejects.toMatchObject({ code: 'role_tag_invalid', kind: 'denied' });
    expect(await codeOf(show(form))).toBe('not_found');
    expect(await answerOf(allow(form))).toBe('204');
    expect(await list()).toEqual([AWKWARD]);
  });

  it('no path at all is no tag', async () => {
    const { host } = await world();
    expect(await codeOf(host('deny-list.write', {}))).toBe('role_tag_invalid');
    expect(await codeOf(host('deny-list.read', {}))).toBe('not_found');
  });
});

describe('the role of a tag', () => {
  it('must be there to deny a tag, and not to read or free one', async () => {
    const { deny, show, allow, host, list } = await world();
    await deny();
    await host('role.delete', { role: 'r' });
    await expect(deny()).rejects.toMatchObject({ code: 'role_not_found', kind: 'denied' });
    expect(await codeOf(show())).toBe('allowed');
    expect(await answerOf(allow())).toBe('204');
    expect(await list()).toEqual([]);
  });

  it('need not look at tags any more', async () => {
    const { deny, putRole } = await world();
    await putRole({ roleTagKey: '' });
    expect(await answerOf(deny())).toBe('204');
  });
});

describe('the operations', () => {
  it('write, read, list and delete, at the deprecated paths too (DENY-1, WIRE-8)', () => {
    const operations = createTestMethod().method.operations.filter(({ id }) => id.startsWith('deny-list.'));
    expect(operations.map(({ verb, path, aliases, access }) => [verb, path, aliases, access])).toEqual([
      ['write', 'roletag-denylist/:role_tag*', ['roletag-blacklist/:role_tag*'], 'management'],
      ['read', 'roletag-denylist/:role_tag*', ['roletag-blacklist/:role_tag*'], 'management'],
      ['list', 'roletag-denylist', ['roletag-blacklist'], 'management'],
      ['delete', 'roletag-denylist/:role_tag*', ['roletag-blacklist/:role_tag*'], 'management'],
    ]);
  });

  it('tell the audit the digest of a tag, never the tag, also when they are refused', async () => {
    const { deny, show, allow, call, events, text } = await world();
    await deny();
    await show();
    await allow(base64(text));
    const named = events.slice(-3).map(({ details }) => details?.['role_tag']);
    expect(new Set(named).size).toBe(1);
    expect(named[0]).toMatch(/^[\w-]{43}$/);
    await codeOf(call('deny-list.write', { params: { role_tag: text }, token: 'nobody' }));
    await codeOf(deny(`${text}x`));
    const said = JSON.stringify(events);
    for (const secret of [text, base64(text), text.slice(-40)]) expect(said).not.toContain(secret);
  });

  it('need a token', async () => {
    const { call, text } = await world();
    for (const operation of ['deny-list.write', 'deny-list.read', 'deny-list.list', 'deny-list.delete']) {
      expect(await codeOf(call(operation, { params: { role_tag: text } }))).toBe('permission_denied');
    }
  });
});
