/** The words of warnings: those of the reference client, of HCP, and ours beside them; safe wherever they come from. */
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTestRegistry, MODULE, START, V1 } from '../../test/create-test-registry.js';
import { diagnose, type UsedVersion } from './diagnose.js';
import { adviceOf, moduleNotice, versionBanners } from './page-notice.js';
import { logText, runText } from './run-text.js';
import { terminalLine, terminalLines } from './terminal-text.js';

const SOURCE = 'registry.acme.example/acme/network/aws';
const used = (more: Partial<UsedVersion>): UsedVersion => ({
  source: SOURCE,
  version: '1.0.0',
  state: 'deprecated',
  deprecation: { reason: null, link: null },
  revocation: null,
  ...more,
});

describe('a diagnostic', () => {
  it.each([
    ['reason and link', { reason: 'Old.', link: 'https://x.example/' }, 'Old.\n\nMore information: https://x.example/'],
    ['a reason', { reason: 'Old.', link: null }, 'Old.'],
    ['a link', { reason: '', link: 'https://x.example/' }, 'More information: https://x.example/'],
    ['nothing', { reason: null, link: null }, ''],
    ['empty texts', { reason: '', link: '' }, ''],
  ])('of %s is in the words of the reference client', (_name, notice, detail) => {
    const [diagnostic] = diagnose([used({ deprecation: notice })], START);
    expect(diagnostic).toMatchObject({
      severity: 'warning',
      summary: `Module version 1.0.0 of ${SOURCE} is deprecated`,
      detail,
      isPastSunset: false,
      extra: {
        type: 'module_version_deprecation',
        version: '1.0.0',
        source_name: SOURCE,
        deprecation_message: notice.reason ?? '',
        link: notice.link ?? '',
      },
    });
  });

  it('is absent for an active version, and for a revoked one an error with its own reason', () => {
    const revoked = used({ state: 'revoked', revocation: { reason: 'Stolen key.', link: null } });
    const diagnostics = diagnose([used({ state: 'active', deprecation: null }), revoked], START);
    expect(diagnostics).toMatchObject([{ kind: 'revoked', severity: 'error', detail: 'Stolen key.' }]);
    // A registry that says revoked and nothing more is taken at its word.
    expect(diagnose([used({ state: 'revoked', deprecation: null })], START)).toMatchObject([{ detail: '' }]);
  });

  it.each([
    [START - 1, true],
    [START, true],
    [START + 1, false],
    [null, false],
  ])('knows whether the sunset has come: %s', (sunsetAt, isPastSunset) => {
    const [diagnostic] = diagnose([used({ deprecation: { reason: null, link: null, sunsetAt } })], START);
    expect(diagnostic?.isPastSunset).toBe(isPastSunset);
  });
});

describe('advice', () => {
  it.each([
    [{}, []],
    [{ reasonClass: null, replacement: null, sunsetAt: null }, []],
    [{ reasonClass: 'other' as const }, []],
    [{ reasonClass: 'security' as const }, ['It has a security problem.']],
    [{ replacement: { module: 'acme/vpc/aws', version: null } }, ['Use acme/vpc/aws instead.']],
    [{ replacement: { module: null, version: '~> 2.0' } }, ['Use version ~> 2.0 instead.']],
    [{ replacement: { module: 'acme/vpc/aws', version: '2.0.0' } }, ['Use acme/vpc/aws, version 2.0.0 instead.']],
    [{ replacement: { module: null, version: null } }, []],
    [{ sunsetAt: Date.UTC(2027, 0, 31) }, ['It should not be used from 2027-01-31 on.']],
  ])('of %j', (extras, sentences) => {
    expect(adviceOf(extras)).toEqual(sentences);
  });
});

describe('the text of a run', () => {
  const deprecation = { reason: 'Old.\nVery.', link: 'https://x.example/', reasonClass: 'legacy' as const };
  const both = [
    used({ deprecation, callers: ['module.net', 'module.vpc'] }),
    used({ version: '2.0.0', state: 'revoked', revocation: { reason: null, link: null } }),
  ];

  it('has the headings of HCP, and below them version, reason, link, advice and callers', () => {
    expect(runText(diagnose(both, START))).toBe(
      [
        'Found the following deprecated module versions, consider using an updated version.',
        '',
        `  ${SOURCE} 1.0.0: Old.`,
        '    Very.',
        '    More information: https://x.example/',
        '    It is no longer maintained.',
        '    Used by module.net, module.vpc',
        '',
        'Alert: Revoked modules found, this run will not continue.',
        '',
        `  ${SOURCE} 2.0.0`,
        '',
      ].join('\n'),
    );
  });

  it('says of revoked versions what becomes of the run', () => {
    const text = runText(diagnose(both.slice(1), START), { revokedStops: false });
    expect(text).toMatch(/^This run will continue because it references a revoked module version/);
  });

  it('is empty where there is nothing to warn of', () => {
    expect(runText([])).toBe('');
    expect(logText(diagnose(both.slice(1), START))).toBe('');
  });

  it('paints its headings and nothing else', () => {
    const text = runText(diagnose(both, START), { colour: true });
    expect(stripVTControlCharacters(text)).toBe(runText(diagnose(both, START)));
    expect(text.split('\u001b[0m')).toHaveLength(3);
  });

  it('has a short form for logs', () => {
    expect(logText(diagnose(both, START))).toBe(
      'Warning: Deprecated modules found, consider installing an updating version. The following are affected:\n' +
        `Version 1.0.0 of ${SOURCE}\n`,
    );
  });
});

describe('text of strangers', () => {
  it.each([
    ['\u001b[2J', '\\u001b[2J'],
    ['\u009b31m', '\\u009b31m'],
    ['a\rb', 'a\\u000db'],
    ['a\u202eb', 'a\\u202eb'],
    ['a\u2028b', 'a\\u2028b'],
    ['\ud800', '\\ud800'],
    ['\u{1f600} \u00e9', '\u{1f600} \u00e9'],
  ])('%j becomes %j', (text, safe) => {
    expect(terminalLine(text)).toBe(safe);
  });

  it('keeps its lines where it may have some', () => {
    expect(terminalLines('a\n\tb\u0007')).toEqual(['a', '  b\\u0007']);
  });

  it('never reaches a terminal as anything but text, nor adds lines that look like ours', () => {
    const hostile = fc.string({
      unit: fc.constantFrom('\u001b', '[', 'm', '\n', '\r', '\u0007', '\u009d', '\u202e', 'a', ' '),
    });
    fc.assert(
      fc.property(hostile, hostile, hostile, hostile, (reason, link, source, caller) => {
        const notice = { reason, link };
        const [diagnostic] = diagnose(
          [used({ source, version: caller, callers: [caller], deprecation: notice })],
          START,
        );
        const { summary, advice, callers } = diagnostic!;
        expect([summary, ...advice, ...callers].join('')).not.toMatch(/[\p{Cc}\u202e]/u);
        const text = runText([diagnostic!]);
        expect(text).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
        // Every line of theirs is indented below the heading.
        expect(
          text
            .split('\n')
            .slice(2, -1)
            .every((line) => line.startsWith('  ')),
        ).toBe(true);
        expect(logText([diagnostic!]).split('\n')).toHaveLength(3);
      }),
    );
  });
});

describe('the page', () => {
  it('tells "the latest is deprecated" from "all are" (PAGE-4)', async () => {
    const { registry, manager, reader } = createTestRegistry({ versions: ['1.0.0', '2.0.0'] });
    const notice = async () => moduleNotice(await registry.open(reader()).listVersions(MODULE));
    expect(await notice()).toBeUndefined();
    await registry.open(manager()).deprecate({ ...V1, version: '2.0.0' }, {});
    expect(await notice()).toMatchObject({ kind: 'latest-deprecated', suggestion: '1.0.0' });
    await registry.open(manager()).deprecate(V1, {});
    expect(await notice()).toMatchObject({ kind: 'all-deprecated', suggestion: undefined });
    await registry.open(manager()).revoke(V1, {});
    expect(await notice()).toMatchObject({ kind: 'all-deprecated' });
    await registry.open(manager()).revoke({ ...V1, version: '2.0.0' }, {});
    expect(await notice()).toMatchObject({ kind: 'all-revoked' });
  });

  it('has a banner for each notice that stands', async () => {
    const { registry, manager, reader } = createTestRegistry();
    const banners = async () => versionBanners(await registry.open(reader()).status(V1));
    expect(await banners()).toEqual([]);
    await registry.open(manager()).deprecate(V1, { reason: '<b>', link: 'https://x.example/', reasonClass: 'legacy' });
    expect(await banners()).toEqual([
      {
        state: 'deprecated',
        title: 'Version 1.0.0 is deprecated',
        reason: '<b>',
        link: 'https://x.example/',
        advice: ['It is no longer maintained.'],
      },
    ]);
    await registry.open(manager()).revoke(V1, { reason: 'Stolen.' });
    expect((await banners()).map(({ state, reason }) => [state, reason])).toEqual([
      ['revoked', 'Stolen.'],
      ['deprecated', '<b>'],
    ]);
  });
});
