/** A check for people, for machines and for pipelines. */
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { call, DISCOVERY, fakeRegistries, HOST, json, plainRegistry, VERSIONS } from '../../test/fake-registry.js';
import { checkModules, type FailOn, type ModuleCheck, reportDocument, reportText, verdictOf } from '../index.js';

const SOURCE = `${HOST}/acme/network/aws`;
const NOTICE = { reason: 'Old.', link: 'https://wiki.acme.example/' };
const LISTED = [
  { version: '1.0.0', deprecation: NOTICE, deprecation_details: { sunset_at: '2026-01-01T00:00:00Z' } },
  { version: '1.1.0', deprecation: NOTICE, deprecation_details: { sunset_at: '2036-01-01T00:00:00Z' } },
  { version: '1.2.0', deprecation: NOTICE, revocation: { reason: 'Stolen.' } },
  { version: '2.0.0' },
];
const answersOf = (versions: readonly unknown[]) => fakeRegistries(plainRegistry(versions)).fetch;
const checkOf = (versions: readonly string[], listed: readonly unknown[] = LISTED): Promise<ModuleCheck> =>
  checkModules({
    installed: versions.map((version) => call(version)),
    fetch: answersOf(listed),
    tokens: () => undefined,
    clock: { now: () => Date.UTC(2027, 0, 1) },
  });
const failingCheck = (status: number, key = DISCOVERY): Promise<ModuleCheck> =>
  checkModules({
    installed: [call('1.0.0')],
    fetch: fakeRegistries({ ...plainRegistry([]), [key]: json({}, status, { 'retry-after': '0' }) }).fetch,
    tokens: () => undefined,
    clock: { now: () => 0 },
  });

describe('a verdict', () => {
  it.each<[readonly string[], readonly FailOn[], number]>([
    [['2.0.0'], ['deprecated', 'revoked', 'sunset'], 0],
    [['1.0.0', '1.1.0', '1.2.0'], [], 0],
    [['1.0.0'], ['deprecated'], 1],
    [['1.2.0'], ['deprecated'], 1],
    [['1.0.0'], ['revoked'], 0],
    [['1.2.0'], ['revoked'], 1],
    [['1.0.0'], ['sunset'], 1],
    [['1.1.0'], ['sunset'], 0],
    [['1.1.0', '1.2.0'], ['sunset', 'revoked'], 1],
    [['9.9.9'], ['deprecated'], 3],
    [['9.9.9', '1.0.0'], [], 3],
    // What is found stands, whatever else is not known.
    [['9.9.9', '1.0.0'], ['deprecated'], 1],
  ])('on %j that fails on %j is %i', async (versions, failOn, exitCode) => {
    expect(verdictOf(await checkOf(versions), { failOn: new Set(failOn) }).exitCode).toBe(exitCode);
  });

  it.each([
    [503, DISCOVERY, 0],
    [503, VERSIONS, 0],
    [401, VERSIONS, 3],
    [404, DISCOVERY, 3],
  ])(
    'forgives a registry that is down where told to, and one that refuses never: %i',
    async (status, key, exitCode) => {
      const check = await failingCheck(status, key);
      expect(verdictOf(check).exitCode).toBe(3);
      expect(verdictOf(check, { offlineOk: true }).exitCode).toBe(exitCode);
    },
  );
});

describe('for people', () => {
  it("is HCP's warning, and how many versions were checked", async () => {
    const check = await checkOf(['1.0.0', '2.0.0']);
    const { out, problems } = reportText(check, verdictOf(check));
    expect(out).toBe(
      [
        'Found the following deprecated module versions, consider using an updated version.',
        '',
        `  ${SOURCE} 1.0.0: Old.`,
        '    More information: https://wiki.acme.example/',
        '    It should not be used from 2026-01-01 on.',
        '    Used by module.net',
        '',
        `Checked 2 module versions with ${HOST}: 1 deprecated, 0 revoked.`,
        '',
      ].join('\n'),
    );
    expect(problems).toBe('');
  });

  it.each([
    [new Set<FailOn>(['revoked']), /^Alert: Revoked modules found, this run will not continue\.$/m],
    [new Set<FailOn>(), /^This run will continue because it references a revoked module version/m],
  ])('says of revoked versions what becomes of the run', async (failOn, heading) => {
    const check = await checkOf(['1.2.0']);
    expect(reportText(check, verdictOf(check, { failOn })).out).toMatch(heading);
  });

  it('is painted only where that is asked for', async () => {
    const check = await checkOf(['1.0.0', '1.2.0']);
    const plain = reportText(check, verdictOf(check)).out;
    const painted = reportText(check, verdictOf(check), { colour: true }).out;
    expect(plain).not.toContain('\u001b');
    expect(painted).not.toBe(plain);
    expect(stripVTControlCharacters(painted)).toBe(plain);
  });

  it('names what could not be checked, and never calls that clean', async () => {
    const check = await failingCheck(503);
    const { out, problems } = reportText(check, verdictOf(check));
    expect(out).toBe('No module version was checked.\n');
    expect(problems).toMatch(
      /^Could not check[^\n]+\n {2}registry\.acme\.test\/acme\/network\/aws 1\.0\.0: .*server_error/,
    );
    const forgiven = reportText(check, verdictOf(check, { offlineOk: true }));
    expect(forgiven.problems).toMatch(/^Skipped/);
  });

  it('says so where nothing is of a registry', async () => {
    const check = await checkOf([]);
    expect(reportText(check, verdictOf(check)).out).toBe(
      'No module version was checked: none comes from a registry.\n',
    );
  });
});

describe('for machines', () => {
  it('has a stable shape', async () => {
    const check = await checkOf(['1.0.0', '1.2.0', '9.9.9']);
    const verdict = verdictOf(check, { failOn: new Set(['revoked']) });
    expect(JSON.parse(reportDocument(check, verdict))).toEqual({
      format_version: '1.0',
      exit_code: 1,
      versions: [
        {
          source: SOURCE,
          version: '1.0.0',
          callers: ['module.net'],
          state: 'deprecated',
          fails: false,
          deprecation: NOTICE,
          deprecation_details: {
            reason_class: null,
            replacement: null,
            sunset_at: '2026-01-01T00:00:00.000Z',
            past_sunset: true,
          },
          revocation: null,
        },
        {
          source: SOURCE,
          version: '1.2.0',
          callers: ['module.net'],
          state: 'revoked',
          fails: true,
          deprecation: NOTICE,
          deprecation_details: { reason_class: null, replacement: null, sunset_at: null, past_sunset: false },
          revocation: { reason: 'Stolen.', link: null },
        },
      ],
      unknown: [
        {
          source: SOURCE,
          version: '9.9.9',
          callers: ['module.net'],
          required: true,
          problem: { code: 'not_found', message: expect.any(String) },
        },
      ],
      registries: [{ host: HOST, required: true, versions: 3, answered: 2 }],
      other_module_calls: 0,
      diagnostics: [
        {
          severity: 'warning',
          summary: `Module version 1.0.0 of ${SOURCE} is deprecated`,
          detail: 'Old.\n\nMore information: https://wiki.acme.example/',
          extra: {
            type: 'module_version_deprecation',
            version: '1.0.0',
            source_name: SOURCE,
            deprecation_message: 'Old.',
            link: 'https://wiki.acme.example/',
          },
        },
        {
          severity: 'error',
          summary: `Module version 1.2.0 of ${SOURCE} is revoked`,
          detail: 'Stolen.',
          extra: {
            type: 'module_version_revocation',
            version: '1.2.0',
            source_name: SOURCE,
            deprecation_message: 'Stolen.',
            link: '',
          },
        },
      ],
    });
  });
});

it('is harmless in a terminal, whatever registries and manifests say', async () => {
  const hostile = fc.string({
    unit: fc.constantFrom(
      '\u001b',
      '[2J',
      '\n',
      '\r',
      '\u0007',
      '\u009b',
      '\u202e',
      '\u2028',
      '\ud800',
      'a',
      '"',
      '\\',
    ),
    minLength: 1,
  });
  await fc.assert(
    fc.asyncProperty(hostile, hostile, hostile, hostile, async (reason, link, version, key) => {
      const details = { replacement: { module: reason, version: link } };
      const listed = [{ version, deprecation: { reason, link }, deprecation_details: details }];
      const check = await checkModules({
        installed: [call(version, key), call('9', key), call(version, key, `${reason}/x`)],
        fetch: answersOf(listed),
        tokens: () => undefined,
        clock: { now: () => 0 },
      });
      expect(check.diagnostics).toHaveLength(1);
      const verdict = verdictOf(check);
      const { out, problems } = reportText(check, verdict);
      const document = reportDocument(check, verdict);
      for (const text of [out, problems, document]) expect(text).not.toMatch(/[^\P{Cc}\n]|[\u202e\u2028\ud800]/u);
      expect(JSON.parse(document)).toMatchObject({ versions: [{ version, deprecation: { reason, link } }] });
      expect(problems.split('\n')).toHaveLength(4);
    }),
    { numRuns: 60 },
  );
});
