/** Tar archives that must be refused, each with its code, and with nothing left behind. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { failureOf, setUp } from '../../test/set-up.js';
import { paxEntry, paxRecord, TAR_END, type TarEntry, tar, tarEntry, tarGz } from '../../test/tar-writer.js';

const main: TarEntry = { name: 'main.tf', content: 'variable "x" {}\n' };
const base256 = (...bytes: readonly number[]) => Uint8Array.from({ length: 12 }, (_, index) => bytes[index] ?? 0);
const longName = (name: string): TarEntry => ({ name: '././@LongLink', type: 'L', content: `${name}\0` });

const HOSTILE: readonly (readonly [string, string, Uint8Array])[] = [
  ['leaves by ..', 'archive_entry_path', tarGz([main, { name: '../evil.tf', content: 'x' }])],
  ['leaves by .. in the middle', 'archive_entry_path', tarGz([main, { name: 'a/../../evil.tf', content: 'x' }])],
  ['leaves by .. at the end', 'archive_entry_path', tarGz([main, { name: 'a/..', content: 'x' }])],
  ['leaves by a folder ..', 'archive_entry_path', tarGz([main, { name: '../', type: '5' }])],
  ['leaves by a pax name', 'archive_entry_path', tarGz([paxEntry(paxRecord('path', '../../evil.tf')), main])],
  ['leaves by a GNU long name', 'archive_entry_path', tarGz([longName('../../evil.tf'), main])],
  ['leaves by a ustar prefix', 'archive_entry_path', tarGz([{ ...main, prefix: '../..' }])],
  ['is absolute', 'archive_entry_path', tarGz([main, { name: '/etc/cron.d/evil', content: 'x' }])],
  ['is absolute by pax', 'archive_entry_path', tarGz([paxEntry(paxRecord('path', '/evil.tf')), main])],
  ['has a drive', 'archive_entry_path', tarGz([main, { name: 'C:/evil.tf', content: 'x' }])],
  ['has a backslash', 'archive_entry_path', tarGz([main, { name: '..\\evil.tf', content: 'x' }])],
  ['has a stream of Windows', 'archive_entry_path', tarGz([main, { name: 'main.tf::$DATA', content: 'x' }])],
  ['has a NUL by pax', 'archive_entry_path', tarGz([paxEntry(paxRecord('path', 'a.tf\0b.tf')), main])],
  ['has a newline', 'archive_entry_path', tarGz([main, { name: 'a\nb.tf', content: 'x' }])],
  ['turns its direction', 'archive_entry_path', tarGz([main, { name: 'a\u202efdp.tf', content: 'x' }])],
  ['is a device of Windows', 'archive_entry_path', tarGz([main, { name: 'a/NUL.tf', content: 'x' }])],
  ['ends with a dot', 'archive_entry_path', tarGz([main, { name: 'main.tf.', content: 'x' }])],
  ['has an empty part', 'archive_entry_path', tarGz([main, { name: 'a//b.tf', content: 'x' }])],
  ['has no name', 'archive_entry_path', tarGz([main, { name: '', content: 'x' }])],
  ['is the root, as a file', 'archive_entry_path', tarGz([main, { name: '.', content: 'x' }])],
  ['is not UTF-8', 'archive_entry_path', tarGz([main, { name: Uint8Array.of(0x61, 0xff, 0x62), content: 'x' }])],
  ['is too deep', 'archive_entry_path', tarGz([main, { name: 'a/'.repeat(33).slice(0, -1), content: 'x' }])],
  ['is too long', 'archive_entry_path', tarGz([longName(`${'a/'.repeat(400)}b`), main])],
  ['has too long a part', 'archive_entry_path', tarGz([longName('a'.repeat(256)), main])],
  ['is a symbolic link', 'archive_entry_link', tarGz([main, { name: 'l.tf', type: '2', linkName: '/etc/passwd' }])],
  ['is a symbolic link inside', 'archive_entry_link', tarGz([main, { name: 'l.tf', type: '2', linkName: 'main.tf' }])],
  ['is a hard link', 'archive_entry_link', tarGz([main, { name: 'l.tf', type: '1', linkName: 'main.tf' }])],
  ['has a long link name', 'archive_entry_link', tarGz([{ name: '././@LongLink', type: 'K', content: 'x\0' }, main])],
  ['is a character device', 'archive_entry_kind', tarGz([main, { name: 'd', type: '3' }])],
  ['is a block device', 'archive_entry_kind', tarGz([main, { name: 'd', type: '4' }])],
  ['is a pipe', 'archive_entry_kind', tarGz([main, { name: 'd', type: '6' }])],
  ['is sparse', 'archive_entry_kind', tarGz([main, { name: 'd', type: 'S', content: 'x' }])],
  ['is of an unknown type', 'archive_entry_kind', tarGz([main, { name: 'd', type: 'Z', content: 'x' }])],
  ['is there twice', 'archive_duplicate_entry', tarGz([main, main])],
  ['is there twice, once behind ./', 'archive_duplicate_entry', tarGz([main, { ...main, name: './main.tf' }])],
  ['differs in letter case', 'archive_duplicate_entry', tarGz([main, { ...main, name: 'MAIN.tf' }])],
  [
    'differs in Unicode form',
    'archive_duplicate_entry',
    tarGz([
      { ...main, name: 'é.tf' },
      { ...main, name: 'e\u0301.tf' },
    ]),
  ],
  [
    'is in a folder of other case',
    'archive_duplicate_entry',
    tarGz([
      { ...main, name: 'a/b.tf' },
      { ...main, name: 'A/c.tf' },
    ]),
  ],
  [
    'is a file and a folder',
    'archive_duplicate_entry',
    tarGz([
      { ...main, name: 'a' },
      { ...main, name: 'a/b.tf' },
    ]),
  ],
  [
    'is a folder, then a file',
    'archive_duplicate_entry',
    tarGz([
      { name: 'a/', type: '5' },
      { ...main, name: 'a' },
    ]),
  ],
  ['has a wrong checksum', 'archive_unreadable', tarGz([{ ...main, badChecksum: true }])],
  ['has an unknown format', 'archive_unreadable', tarGz([{ ...main, magic: 'ustar\u000042' }])],
  [
    'has two pax headers',
    'archive_unreadable',
    tarGz([paxEntry(paxRecord('path', 'a.tf')), paxEntry(paxRecord('path', 'b.tf')), main]),
  ],
  [
    'has a pax name and a long name',
    'archive_unreadable',
    tarGz([longName('../x.tf'), paxEntry(paxRecord('path', 'a.tf')), main]),
  ],
  [
    'has two names in one pax header',
    'archive_unreadable',
    tarGz([paxEntry(paxRecord('path', 'a.tf'), paxRecord('path', '../b.tf')), main]),
  ],
  ['has a pax link', 'archive_unreadable', tarGz([paxEntry(paxRecord('linkpath', '/etc/passwd')), main])],
  ['has a sparse file by pax', 'archive_unreadable', tarGz([paxEntry(paxRecord('GNU.sparse.major', '1')), main])],
  ['names all entries', 'archive_unreadable', tarGz([{ ...paxEntry(paxRecord('path', 'a.tf')), type: 'g' }, main])],
  ['has a malformed attribute', 'archive_unreadable', tarGz([paxEntry('999 path=a.tf\n'), main])],
  ['has an attribute without length', 'archive_unreadable', tarGz([paxEntry('path=a.tf\n'), main])],
  ['has a negative size by pax', 'archive_unreadable', tarGz([paxEntry(paxRecord('size', '-1')), main])],
  ['has huge attributes', 'archive_unreadable', tarGz([paxEntry(paxRecord('comment', 'x'.repeat(70_000))), main])],
  ['ends with attributes', 'archive_unreadable', tarGz([main, paxEntry(paxRecord('path', 'a.tf'))])],
  ['has a negative size', 'archive_unreadable', tarGz([{ ...main, rawSize: base256(0xff, 0xff) }])],
  [
    'has an endless size',
    'archive_unreadable',
    tarGz([{ ...main, rawSize: base256(0x80, 0x7f, 0xff, 0xff, 0xff, 0xff) }]),
  ],
  ['has a size of letters', 'archive_unreadable', tarGz([{ ...main, rawSize: Buffer.from('00000000zz0\0') }])],
  ['claims more than it has', 'archive_unreadable', tarGz([{ ...main, sizeBytes: 100_000 }])],
  ['is a folder with content', 'archive_unreadable', tarGz([{ name: 'a/', type: '5', content: 'x' }])],
  ['has no end', 'archive_unreadable', tarGz([main], new Uint8Array(0))],
  [
    'goes on behind its end',
    'archive_unreadable',
    tarGz([main], Buffer.concat([TAR_END, tarEntry({ ...main, name: 'b.tf' })])),
  ],
  ['is cut inside a header', 'archive_unreadable', gzipSync(tar([main]).subarray(0, 700))],
  ['is cut inside the gzip data', 'archive_unreadable', tarGz([main]).subarray(0, -9)],
  [
    'has a wrong gzip checksum',
    'archive_unreadable',
    tarGz([main]).map((byte, index, all) => (index === all.length - 6 ? byte ^ 1 : byte)),
  ],
  ['has bytes behind the gzip data', 'archive_unreadable', Buffer.concat([tarGz([main]), Buffer.from('tail')])],
  ['is gzip of no tar', 'archive_unreadable', gzipSync('hello, this is no tar archive '.repeat(40))],
  ['is a tar without gzip', 'archive_unreadable', tar([main])],
  ['is some text', 'archive_unreadable', Buffer.from('#!/bin/sh\n')],
  ['is one byte', 'archive_unreadable', Buffer.from([0x1f])],
  ['is nothing', 'archive_empty', new Uint8Array(0)],
  ['holds nothing', 'archive_empty', tarGz([])],
  [
    'holds folders only',
    'archive_empty',
    tarGz([
      { name: './', type: '5' },
      { name: 'a/', type: '5' },
    ]),
  ],
];

describe('a tar archive is refused that', () => {
  it.each(HOSTILE)('%s: %s', async (_, code, archive) => {
    const { publish, catalogue, leftovers, remove } = setUp();
    const failure = await failureOf(publish(archive));
    expect(failure).toMatchObject({ name: 'ModuleArchiveError', code });
    expect(failure instanceof Error ? failure.message : '').toMatch(/^[^\p{Cc}\p{Cf}]{20,}$/u);
    expect(await leftovers()).toEqual([]);
    expect(await catalogue.versions({ namespace: 'acme', name: 'network', provider: 'aws' })).toEqual([]);
    remove();
  });
});

describe('a tar archive is taken', () => {
  it.each<readonly [string, readonly TarEntry[]]>([
    [
      'with ./ before names, and the root itself',
      [
        { name: './', type: '5' },
        { ...main, name: './main.tf' },
      ],
    ],
    ['with a folder named twice', [{ name: 'a/', type: '5' }, { name: 'a', type: '5' }, main]],
    ['with folders of the old style', [{ name: 'a/', type: '0' }, main]],
    ['with names by pax', [paxEntry(paxRecord('path', 'main.tf'), paxRecord('mtime', '1.5')), { ...main, name: 'x' }]],
    ['with long names', [main, longName(`${'a'.repeat(120)}.txt`), { name: 'cut', content: 'x' }]],
    ['with a size by pax', [paxEntry(paxRecord('size', '16')), { ...main, sizeBytes: 0 }]],
    ['with the comment of git archive', [{ ...paxEntry(paxRecord('comment', 'a'.repeat(40))), type: 'g' }, main]],
    ['with a prefix', [main, { name: 'b.tf', prefix: 'examples/x', content: '' }]],
    ['of the GNU format', [{ ...main, magic: 'ustar  \u0000' }]],
    ['of the format before ustar', [{ ...main, type: '\u0000', magic: '\u0000'.repeat(8) }]],
    ['with a size in base 256', [{ ...main, rawSize: base256(0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16) }]],
    [
      'with a dot file and a space',
      [main, { name: '.terraform-docs.yml', content: 'x' }, { name: 'a b.txt', content: 'x' }],
    ],
  ])('%s', async (_, entries) => {
    const { publish, remove } = setUp();
    expect((await publish(tarGz(entries))).root.inputs).toHaveLength(1);
    remove();
  });
});
