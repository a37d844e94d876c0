/** The nonce and pendingTime table (NONCE-1 to NONCE-7): one test a row, case ids named. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AccessListEntry,
  decideReauthentication,
  type PresentedNonce,
  type ReauthenticationFacts,
} from './entry.js';

const STORED = '2020-01-01T00:00:00Z';
const NEWER = '2022-01-01T00:00:00Z';
const OLDER = '2019-01-01T00:00:00Z';
const SENTINEL = 'reauthentication-disabled-nonce';

const absent: PresentedNonce = { kind: 'absent' };
const disabling: PresentedNonce = { kind: 'disabling' };
const text = (value: string): PresentedNonce => ({ kind: 'text', text: value });

const entry = (changes: Partial<AccessListEntry> = {}): AccessListEntry => ({
  role: 'r',
  clientNonce: 'N',
  disallowReauthentication: false,
  pendingTime: STORED,
  createdAt: 1,
  updatedAt: 1,
  expiresAt: 2,
  ...changes,
});
const disallowed = entry({ clientNonce: '', disallowReauthentication: true });

const decide = (changes: Partial<ReauthenticationFacts>) =>
  decideReauthentication({
    entry: undefined,
    nonce: absent,
    pendingTime: STORED,
    allowInstanceMigration: false,
    disallowReauthentication: false,
    ...changes,
  });

const kept = (value: string) => ({
  allow: true,
  disallow: false,
  nonce: { order: 'keep', text: value },
  migrated: false,
});
const closed = { allow: true, disallow: true, nonce: { order: 'keep', text: '' }, migrated: false };
const generated = { allow: true, disallow: false, nonce: { order: 'generate' }, migrated: false };
const denied = (code: string) => ({ allow: false, code });

const role = { disallow: { disallowReauthentication: true }, migrate: { allowInstanceMigration: true } };
type Row = [string, Partial<ReauthenticationFacts>, object];

describe('a first login', () => {
  it.each<Row>([
    ['generates a nonce when none was sent', {}, generated],
    ['keeps the nonce that was sent', { nonce: text('N') }, kept('N')],
    ['with an empty nonce or null is the last one', { nonce: disabling }, closed],
    ['of a role that disallows keeps no nonce', { ...role.disallow, nonce: text('N') }, closed],
    ['of a role that disallows generates no nonce', { ...role.disallow }, closed],
    ['of a role that disallows takes an empty nonce', { ...role.disallow, nonce: disabling }, closed],
    ['treats the word for "disabled" as any other text', { nonce: text(SENTINEL) }, kept(SENTINEL)],
    ['keeps a nonce of 128 bytes', { nonce: text('n'.repeat(128)) }, kept('n'.repeat(128))],
    ['refuses a nonce of 129 bytes', { nonce: text('n'.repeat(129)) }, denied('nonce_too_long')],
    ['counts bytes, not characters', { nonce: text('é'.repeat(65)) }, denied('nonce_too_long')],
    ['ignores the length of a nonce it does not keep', { ...role.disallow, nonce: text('n'.repeat(129)) }, closed],
    ['does not parse pendingTime', { nonce: text('N'), pendingTime: 'notatime' }, kept('N')],
    ['starts afresh after the entry was deleted', { nonce: text('other') }, kept('other')],
  ])('%s', (_name, facts, expected) => {
    expect(decide(facts)).toEqual(expected);
  });
});

describe('a later login', () => {
  const known = { entry: entry() };
  it.each<Row>([
    ['needs the nonce', { nonce: absent }, denied('nonce_mismatch')],
    ['needs the same nonce', { nonce: text('zzz') }, denied('nonce_mismatch')],
    ['refuses an empty nonce', { nonce: disabling }, denied('reauthentication_disabled')],
    [
      'refuses an empty nonce even when migrated',
      { ...role.migrate, nonce: disabling, pendingTime: NEWER },
      denied('reauthentication_disabled'),
    ],
    ['treats the word for "disabled" as a wrong nonce', { nonce: text(SENTINEL) }, denied('nonce_mismatch')],
    ['passes with the nonce and the same document', { nonce: text('N') }, kept('N')],
    ['passes with the nonce and a newer document', { nonce: text('N'), pendingTime: NEWER }, kept('N')],
    [
      'refuses an older document in spite of the nonce',
      { nonce: text('N'), pendingTime: OLDER },
      denied('document_older'),
    ],
    ['compares instants, not spellings', { nonce: text('N'), pendingTime: '2020-01-01T01:00:00+01:00' }, kept('N')],
    [
      'refuses a wrong nonce with a newer document without migration',
      { nonce: text('zzz'), pendingTime: NEWER },
      denied('nonce_mismatch'),
    ],
    [
      'refuses a pendingTime that is no time',
      { nonce: text('N'), pendingTime: 'notatime' },
      denied('pending_time_invalid'),
    ],
    ['with the nonce passes once more when the role disallows since', { ...role.disallow, nonce: text('N') }, closed],
    [
      'without the nonce does not pass when the role disallows since',
      { ...role.disallow, nonce: absent },
      denied('nonce_mismatch'),
    ],
    ['is not bound to the role of the first', { entry: entry({ role: 'r0' }), nonce: text('N') }, kept('N')],
    [
      'refuses a nonce that differs only in normalisation',
      { entry: entry({ clientNonce: 'é' }), nonce: text('e\u0301') },
      denied('nonce_mismatch'),
    ],
    [
      'never admits by a blank stored nonce',
      { entry: entry({ clientNonce: '' }), nonce: text('') },
      denied('nonce_mismatch'),
    ],
    [
      'never migrates away from a blank stored nonce',
      { ...role.migrate, entry: entry({ clientNonce: '' }), pendingTime: NEWER },
      denied('nonce_mismatch'),
    ],
    [
      'refuses when the stored time is no time',
      { entry: entry({ pendingTime: 'notatime' }), nonce: text('N') },
      denied('pending_time_invalid'),
    ],
  ])('%s', (_name, facts, expected) => {
    expect(decide({ ...known, ...facts })).toEqual(expected);
  });
});

describe('a disallowed entry', () => {
  it.each<Row>([
    ['stays closed while the role disallows', { ...role.disallow, nonce: text('N') }, {}],
    ['stays closed when the role no longer disallows', { nonce: text('N') }, {}],
    ['stays closed to no nonce', {}, {}],
    ['stays closed to an empty nonce', { nonce: disabling }, {}],
    ['stays closed to a migrated instance', { ...role.migrate, nonce: text('N'), pendingTime: NEWER }, {}],
    ['stays closed to a document whose time cannot be read', { nonce: text('N'), pendingTime: 'notatime' }, {}],
  ])('%s', (_name, facts) => {
    expect(decide({ entry: disallowed, ...facts })).toEqual(denied('reauthentication_disabled'));
  });
});

describe('a migrated instance', () => {
  const base = { entry: entry(), ...role.migrate };
  const migrated = (decision: object) => ({ ...decision, migrated: true });
  it.each<Row>([
    // The case keeps the old nonce; NONCE-7 stores the one presented.
    [
      'replaces the nonce by the one it presents (NONCE-7)',
      { nonce: text('zzz'), pendingTime: NEWER },
      migrated(kept('zzz')),
    ],
    ['receives a new nonce that is stored (NONCE-7)', { nonce: absent, pendingTime: NEWER }, migrated(generated)],
    ['is refused with an older document', { nonce: text('zzz'), pendingTime: OLDER }, denied('document_older')],
    ['is refused with the same document', { nonce: text('zzz') }, denied('nonce_mismatch')],
    ['is refused with the same document and no nonce', { nonce: absent }, denied('nonce_mismatch')],
    [
      'with the right nonce is refused with an older document',
      { nonce: text('N'), pendingTime: OLDER },
      denied('document_older'),
    ],
    ['with the right nonce is no migration', { nonce: text('N'), pendingTime: NEWER }, kept('N')],
    [
      'is refused a nonce too long to keep',
      { nonce: text('n'.repeat(129)), pendingTime: NEWER },
      denied('nonce_too_long'),
    ],
    [
      'is refused when its time cannot be read',
      { nonce: absent, pendingTime: 'notatime' },
      denied('pending_time_invalid'),
    ],
    [
      'whose tag disallows passes once and closes',
      { ...role.disallow, nonce: absent, pendingTime: NEWER },
      migrated(closed),
    ],
  ])('%s', (_name, facts, expected) => {
    expect(decide({ ...base, ...facts })).toEqual(expected);
  });
});

describe('any row', () => {
  it('never admits an entry that is closed, and never keeps a nonce when closing', () => {
    const nonce = fc.oneof(fc.constant(absent), fc.constant(disabling), fc.string().map(text));
    const time = fc.constantFrom(STORED, NEWER, OLDER, 'notatime');
    const stored = fc.option(
      fc.record({ clientNonce: fc.string(), disallowReauthentication: fc.boolean(), pendingTime: time }).map(entry),
      { nil: undefined },
    );
    fc.assert(
      fc.property(stored, nonce, time, fc.boolean(), fc.boolean(), (was, presented, pendingTime, migrate, disallow) => {
        const decision = decide({
          entry: was,
          nonce: presented,
          pendingTime,
          allowInstanceMigration: migrate,
          disallowReauthentication: disallow,
        });
        if (!decision.allow) return;
        expect(was?.disallowReauthentication ?? false).toBe(false);
        if (disallow) expect(decision.disallow).toBe(true);
        if (decision.disallow) expect(decision.nonce).toEqual({ order: 'keep', text: '' });
      }),
    );
  });
});
