/** When something below fails: 503, nothing changed, and the caller can come again (REGAPI-7, REGAPI-6). */
import { describe, expect, it } from 'vitest';
import { checkJsonApi } from '../../test/registry/json-api-schema.js';
import {
  DEPRECATE,
  openRegistrySite,
  READ,
  REVERT,
  REVOKE,
  type RegistrySite,
} from '../../test/registry/registry-site.js';

const steps: readonly [string, (site: RegistrySite) => void][] = [
  ['the authorizer, asked who calls', (site) => site.authorizer.failNext()],
  ['the catalogue', (site) => site.catalogue.failNext()],
  ['the read of the status', (site) => site.storage.failNextRead('unavailable')],
  ['the commit', (site) => site.storage.failNextCommit('unavailable')],
];
const commands = [
  ['deprecate', [], DEPRECATE],
  ['revert', [DEPRECATE], REVERT],
  ['revoke', [DEPRECATE], REVOKE],
] as const;

describe.each(steps)('%s fails', (_name, fail) => {
  it.each(commands)('at %s: 503, nothing changed, the same again works', async (_command, before, attributes) => {
    const site = openRegistrySite();
    for (const each of before) await site.patch(each);
    const stood = (await site.get(`${READ}/1.0.0/status`)).text;
    const history = (await site.get(`${READ}/1.0.0/history`)).text;
    fail(site);
    const { status, headers, body } = await site.patch(attributes);
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('1');
    checkJsonApi(body);
    expect(body.errors[0]).toMatchObject({ status: '503', title: 'service unavailable' });
    expect((await site.get(`${READ}/1.0.0/status`)).text).toBe(stood);
    expect((await site.get(`${READ}/1.0.0/history`)).text).toBe(history);
    expect((await site.patch(attributes)).status).toBe(200);
    expect(site.errors).toEqual([]);
  });
});

describe('reads', () => {
  it.each([`${READ}/versions`, `${READ}/1.0.0`, `${READ}/1.0.0/download`, `${READ}/1.0.0/history`, READ])(
    '%s is 503 while storage does not answer, and plain',
    async (path) => {
      const site = openRegistrySite();
      site.storage.failNextRead('unavailable');
      const { status, headers, body } = await site.get(path);
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
      expect(body).toEqual({ errors: [expect.any(String)] });
      expect((await site.get(path)).status).toBe(200);
    },
  );
});

describe('a lost answer', () => {
  it('is found out: the deprecation stands once', async () => {
    const site = openRegistrySite();
    site.storage.failNextCommit('applied_unknown');
    expect((await site.patch(DEPRECATE)).status).toBe(200);
    expect((await site.get(`${READ}/1.0.0/history`)).body.meta.total).toBe(1);
  });
});

describe('an internal error', () => {
  it('is 500 without a word of what it was, and is reported', async () => {
    const site = openRegistrySite({
      ports: (catalogue) => ({
        catalogue: {
          ...catalogue,
          hasVersion: () => Promise.reject(new Error('canary of the defect')),
          versions: () => Promise.reject(new Error('canary of the defect')),
        },
      }),
    });
    const patched = await site.patch(DEPRECATE);
    expect(patched.status).toBe(500);
    checkJsonApi(patched.body);
    const read = await site.get(`${READ}/versions`);
    expect(read.status).toBe(500);
    expect(`${patched.text}${read.text}`).not.toContain('canary');
    expect(site.errors).toHaveLength(2);
  });
});

describe('many at once', () => {
  it('100 contradictory commands end in one serial order, and history tells it', async () => {
    const site = openRegistrySite();
    await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        site.patch(
          at % 2 === 0 ? { deprecation: { 'deprecated-status': 'Deprecated', reason: `Number ${at}.` } } : REVERT,
        ),
      ),
    );
    const entries: { seq: number; from: string; to: string; reason: string | null }[] = [];
    let before = '';
    do {
      const { body } = await site.get(`${READ}/1.0.0/history?limit=100${before}`);
      entries.push(...body.history);
      before = body.meta.next_before === null ? '' : `&before=${body.meta.next_before}`;
    } while (before !== '');
    entries.reverse();
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, at) => at + 1));
    let state = 'active';
    for (const { from, to } of entries) {
      expect(from).toBe(state);
      state = to;
    }
    const read = (await site.get(`${READ}/1.0.0/status`)).body;
    expect(read.state).toBe(state);
    if (state === 'deprecated') expect(read.deprecation.reason).toBe(entries.at(-1)?.reason);
  });

  it('deprecations of different versions do not lose each other', async () => {
    const versions = Array.from({ length: 50 }, (_, at) => `1.${at}.0`);
    const site = openRegistrySite({ versions });
    await Promise.all(versions.map((version) => site.patch(DEPRECATE, { version })));
    const { body } = await site.get(`${READ}/versions`);
    expect(body.modules[0].versions.every((each: { deprecation: unknown }) => each.deprecation !== null)).toBe(true);
  });
});
