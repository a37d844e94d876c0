/** Zip archives that must be refused, each with its code, and with nothing left behind. */
import { describe, expect, it } from 'vitest';
import { failureOf, setUp } from '../../test/set-up.js';
import { type ZipEntry, zip } from '../../test/zip-writer.js';

const main: ZipEntry = { name: 'main.tf', content: 'variable "x" {}\n' };
const other: ZipEntry = { name: 'b.tf', content: 'variable "y" {}\n' };

/** An extra field. */
const field = (id: number, data: Uint8Array): Uint8Array => {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id, 0);
  head.writeUInt16LE(data.length, 2);
  return Buffer.concat([head, data]);
};
const unicodePath = (name: string) => field(0x7075, Buffer.concat([Buffer.from([1, 0, 0, 0, 0]), Buffer.from(name)]));
const zip64Sizes = field(1, Buffer.alloc(16, 1));

const HOSTILE: readonly (readonly [string, string, Uint8Array])[] = [
  ['leaves by ..', 'archive_entry_path', zip([main, { name: '../evil.tf', content: 'x' }])],
  ['leaves by a folder ..', 'archive_entry_path', zip([main, { name: 'a/../../', mode: 0o040755, stored: true }])],
  ['is absolute', 'archive_entry_path', zip([main, { name: '/evil.tf', content: 'x' }])],
  ['has a drive', 'archive_entry_path', zip([main, { name: 'C:evil.tf', content: 'x' }])],
  ['has a backslash', 'archive_entry_path', zip([main, { name: 'a\\..\\..\\evil.tf', content: 'x' }])],
  ['has a NUL', 'archive_entry_path', zip([main, { name: 'evil.tf\0.txt', content: 'x' }])],
  ['is a device of Windows', 'archive_entry_path', zip([main, { name: 'aux.tf', content: 'x' }])],
  [
    'is not UTF-8',
    'archive_entry_path',
    zip([main, { name: Uint8Array.of(0x82, 0x61), content: 'x', both: { flags: 0 } }]),
  ],
  ['is a symbolic link', 'archive_entry_link', zip([main, { name: 'l.tf', content: '/etc/passwd', mode: 0o120777 }])],
  ['is a device', 'archive_entry_kind', zip([main, { name: 'd', mode: 0o020666 }])],
  ['is a pipe', 'archive_entry_kind', zip([main, { name: 'd', mode: 0o010666 }])],
  ['is a folder by mode, a file by name', 'archive_entry_kind', zip([main, { name: 'd', mode: 0o040755 }])],
  ['is there twice', 'archive_duplicate_entry', zip([main, main])],
  ['differs in letter case', 'archive_duplicate_entry', zip([main, { ...main, name: 'Main.TF' }])],
  ['is encrypted', 'archive_unreadable', zip([{ ...main, both: { flags: 0x801 } }])],
  ['is strongly encrypted', 'archive_unreadable', zip([{ ...main, both: { flags: 0x841 } }])],
  ['is packed by another method', 'archive_unreadable', zip([{ ...main, both: { method: 12 } }])],
  ['has another name in its own header', 'archive_unreadable', zip([{ ...main, local: { name: '../e.tf' } }])],
  ['has a name of equal length there', 'archive_unreadable', zip([{ ...main, local: { name: 'evil.tf' } }])],
  ['has another method there', 'archive_unreadable', zip([{ ...main, local: { method: 0 } }])],
  ['has other flags there', 'archive_unreadable', zip([{ ...main, local: { flags: 0 } }])],
  ['has another size there', 'archive_unreadable', zip([{ ...main, local: { sizeBytes: 5 } }])],
  ['has another checksum there', 'archive_unreadable', zip([{ ...main, local: { crc: 5 } }])],
  ['has a wrong checksum in both', 'archive_unreadable', zip([{ ...main, both: { crc: 5 } }])],
  ['claims less than it unpacks to', 'archive_unreadable', zip([{ ...main, both: { sizeBytes: 5 } }])],
  ['claims more than it unpacks to', 'archive_unreadable', zip([{ ...main, both: { sizeBytes: 500 } }])],
  ['is stored in another size', 'archive_unreadable', zip([{ ...main, stored: true, both: { sizeBytes: 5 } }])],
  ['is no deflate data', 'archive_unreadable', zip([{ ...main, stored: true, both: { method: 8 } }])],
  ['overlaps the one before', 'archive_unreadable', zip([main, { ...main, name: 'main.tf', central: { offset: 0 } }])],
  [
    'shares data with another',
    'archive_unreadable',
    zip([{ ...main, both: { packedBytes: 100, sizeBytes: 100 }, stored: true }, other]),
  ],
  ['hides bytes between entries', 'archive_unreadable', zip([{ ...main, gap: Buffer.from('hidden') }, other])],
  ['hides bytes before the directory', 'archive_unreadable', zip([{ ...main, gap: Buffer.from('hidden') }])],
  ['has a second name in an extra field', 'archive_unreadable', zip([{ ...main, extra: unicodePath('evil.tf') }])],
  ['has sizes of zip64', 'archive_unreadable', zip([{ ...main, extra: zip64Sizes }])],
  ['has an end of zip64', 'archive_unreadable', zip([main], { zip64: true })],
  ['has an extra field that is cut', 'archive_unreadable', zip([{ ...main, extra: Uint8Array.of(1, 2, 200, 0) }])],
  ['has more entries than it says', 'archive_unreadable', zip([main, other], { entries: 1 })],
  ['has fewer entries than it says', 'archive_unreadable', zip([main, other], { entries: 3 })],
  ['begins with something else', 'archive_unreadable', zip([main], { before: Buffer.from('#!/bin/sh\n') })],
  ['begins with another entry', 'archive_unreadable', zip([main], { before: zip([other]) })],
  ['goes on behind its end', 'archive_unreadable', zip([main], { after: Buffer.from('tail') })],
  ['holds a second archive behind', 'archive_unreadable', zip([main], { after: zip([other]) })],
  ['is cut', 'archive_unreadable', zip([main]).subarray(0, -30)],
  ['is a folder with content', 'archive_unreadable', zip([main, { name: 'a/', mode: 0o040755, content: 'x' }])],
  ['is empty', 'archive_empty', zip([])],
  ['holds folders only', 'archive_empty', zip([{ name: 'a/', mode: 0o040755, stored: true }])],
];

describe('a zip archive is refused that', () => {
  it.each(HOSTILE)('%s: %s', async (_, code, archive) => {
    const { publish, leftovers, remove } = setUp();
    const failure = await failureOf(publish(archive));
    expect(failure).toMatchObject({ name: 'ModuleArchiveError', code });
    expect(failure instanceof Error ? failure.message : '').toMatch(/^[^\p{Cc}\p{Cf}]{20,}$/u);
    expect(await leftovers()).toEqual([]);
    remove();
  });
});

describe('a zip archive is taken', () => {
  it.each<readonly [string, readonly ZipEntry[]]>([
    ['deflated', [main]],
    ['stored', [{ ...main, stored: true }]],
    [
      'with sizes behind the data',
      [
        { ...main, descriptor: true },
        { ...other, descriptor: true },
      ],
    ],
    ['with folders', [{ name: 'a/', mode: 0o040755, stored: true }, main]],
    ['with modes of no type', [{ ...main, mode: 0 }]],
    ['with its own name in an extra field', [{ ...main, extra: unicodePath('main.tf') }]],
    ['with times in an extra field', [{ ...main, extra: field(0x5455, Buffer.alloc(5)) }]],
  ])('%s', async (_, entries) => {
    const { publish, remove } = setUp();
    expect((await publish(zip(entries))).archive.format).toBe('tar.gz');
    remove();
  });
});

describe('a format that is said', () => {
  it.each([
    ['tar.gz', zip([main])],
    ['zip', Buffer.from([0x1f, 0x8b, 8, 0])],
  ] as const)('must be that of the bytes: not %s', async (format, archive) => {
    const { publish, leftovers, remove } = setUp();
    expect(await failureOf(publish(archive, { format }))).toMatchObject({ code: 'archive_unreadable' });
    expect(await leftovers()).toEqual([]);
    remove();
  });
});
