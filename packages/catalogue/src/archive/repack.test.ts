/** V7: what is served is packed again from what was inspected, and every reader of tar unpacks the same from it. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type ReadTarEntry, readTarGz } from '../../test/read-tar.js';
import { failureOf, moduleArchive, NETWORK, type SetUp, setUp } from '../../test/set-up.js';
import { paxEntry, paxRecord, tarGz, tarHeader } from '../../test/tar-writer.js';
import { zip } from '../../test/zip-writer.js';

const root = mkdtempSync(join(tmpdir(), 'postern-repack-'));
afterAll(() => rmSync(root, { recursive: true }));
const used: SetUp[] = [];
afterEach(() => {
  for (const each of used.splice(0)) each.remove();
});

async function served(archive: Uint8Array): Promise<Uint8Array> {
  const made = setUp();
  used.push(made);
  await made.publish(archive);
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await made.catalogue.archive(NETWORK))?.content ?? []) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}

const main = { name: 'main.tf', content: 'variable "x" {}\n' };
/** A reader that ignores the prefix of a GNU header unpacks a benign file, one that reads it unpacks a module. */
const evil = {
  name: 'notes.tf',
  prefix: 'examples/hidden',
  magic: 'ustar  \u0000',
  content: 'output "x" { value = 1 }\n',
};

/** Sets bytes of a header and its checksum. */
function patched(at: number, bytes: string): Uint8Array {
  const block = Buffer.from(tarHeader(main));
  block.write(bytes, at, 'latin1');
  block.write('        ', 148);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return gzipSync(Buffer.concat([block, Buffer.from(main.content.padEnd(512, '\0')), Buffer.alloc(1024)]));
}

describe('V7: an upload that readers of tar read differently is refused', () => {
  it.each([
    ['a GNU header with a prefix', tarGz([main, evil])],
    ['a header before ustar with a prefix', tarGz([main, { ...evil, magic: '\u0000'.repeat(8) }])],
    ['the trailer of star', patched(508, 'tar\u0000')],
    ['a byte behind the prefix', patched(500, '1')],
  ])('%s', async (_name, archive) => {
    const { publish, leftovers, remove } = setUp();
    expect(await failureOf(publish(archive))).toMatchObject({ code: 'archive_unreadable' });
    expect(await leftovers()).toEqual([]);
    remove();
  });
});

describe('a served archive', () => {
  it('is ustar with names, content and executable bits of the upload, and nothing else of it', async () => {
    const script = { name: 'run.sh', content: '#!/bin/sh\n', mode: 0o4711 };
    const archive = tarGz([
      { name: './', type: '5' },
      main,
      { name: 'empty/', type: '5' },
      { ...script, linkName: 'x' },
    ]);
    const bytes = await served(archive);
    expect(readTarGz(bytes)).toEqual([
      { name: 'main.tf', type: '0', mode: '0000644', text: main.content },
      { name: 'empty/', type: '5', mode: '0000755', text: '' },
      { name: 'run.sh', type: '0', mode: '0000755', text: script.content },
    ]);
    const block = gunzipSync(bytes).subarray(0, 512);
    expect(block.toString('latin1', 257, 265)).toBe('ustar\u000000');
    expect(block.subarray(500).every((byte) => byte === 0)).toBe(true);
    // No time and no system in the gzip header.
    expect([...bytes.subarray(3, 10)]).toEqual([0, 0, 0, 0, 0, 0, 255]);
  });

  it('is the same for the same upload, and for another packer of the same files', async () => {
    const first = await served(moduleArchive());
    expect(await served(moduleArchive())).toEqual(first);
    expect(await served(zip([{ name: 'main.tf', content: 'variable "x" {}\n' }]))).toEqual(first);
    const gnu = tarGz([
      paxEntry(paxRecord('mtime', '1.5'), paxRecord('uname', 'me')),
      { ...main, magic: 'ustar\u000000' },
    ]);
    expect(await served(gnu)).toEqual(first);
  });

  it('keeps every name, however long', async () => {
    const part = fc
      .stringMatching(/^[a-zé][a-zé0-9]{0,90}$/)
      .filter((text) => !/^(?:con|prn|aux|nul|com|lpt)/.test(text));
    const parts = fc
      .array(part, { minLength: 1, maxLength: 5 })
      .filter((each) => Buffer.byteLength(each.join('/')) <= 510);
    await fc.assert(
      fc.asyncProperty(parts, fc.boolean(), async (each, isFolder) => {
        const name = `x/${each.join('/')}${isFolder ? '/' : ''}`;
        const entry = { name: 'long', type: isFolder ? '5' : '0', content: isFolder ? '' : 'text' };
        const bytes = await served(tarGz([main, paxEntry(paxRecord('path', name)), entry]));
        expect(readTarGz(bytes).at(-1)).toMatchObject({ name, type: entry.type, text: entry.content });
        used.pop()?.remove();
      }),
      { numRuns: 40 },
    );
  });

  it.each([99, 100, 101, 155, 156, 157, 255, 256])('keeps a name of %i bytes', async (length) => {
    for (const name of [`${'a'.repeat(length - 6)}/b.txt`, `b/${'a'.repeat(length - 2)}`, 'a/'.repeat(length / 2)]) {
      if (name.split('/').some((each) => each.length > 255) || name.split('/').length > 30) continue;
      const bytes = await served(tarGz([main, paxEntry(paxRecord('path', name)), { name: 'l', content: 'text' }]));
      expect(readTarGz(bytes).at(-1)?.name).toBe(name);
    }
  });
});

/** What unpacks archives elsewhere: a command, and whether it is here. */
const run = (command: string, args: readonly string[], cwd = root) =>
  spawnSync(command, args, { cwd, env: { ...process.env, LC_ALL: 'C.UTF-8' } });
const PYTHON = 'import sys,tarfile\ntarfile.open(sys.argv[1]).extractall(sys.argv[2],filter="data")';
const READERS: readonly (readonly [string, string, (archive: string, into: string) => readonly string[]])[] = [
  ['GNU tar', 'tar', (archive, into) => ['xzf', archive, '-C', into]],
  ['bsdtar', 'bsdtar', (archive, into) => ['xzf', archive, '-C', into]],
  ["Python's tarfile", 'python3', (archive, into) => ['-c', PYTHON, archive, into]],
];

function treeOf(folder: string, below = ''): readonly ReadTarEntry[] {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .map((entry) => ({ entry, name: below === '' ? entry.name : `${below}/${entry.name}` }))
    .flatMap(({ entry, name }) => {
      if (entry.isDirectory()) return [{ name: `${name}/`, type: '5', mode: '', text: '' }, ...treeOf(folder, name)];
      const mode = (statSync(join(folder, name)).mode & 0o111) === 0 ? 'plain' : 'executable';
      return [{ name, type: '0', mode, text: readFileSync(join(folder, name), 'utf8') }];
    })
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

describe('V7: what the registry inspected is what is unpacked by', () => {
  const files: readonly (readonly [string, string, number])[] = [
    ['main.tf', 'variable "x" {}\n', 0o644],
    ['modules/sub/main.tf', 'output "y" { value = 1 }\n', 0o600],
    ['bin/run.sh', '#!/bin/sh\n', 0o755],
    ['é ü.txt', 'x', 0o644],
    [`${'a'.repeat(90)}/${'b'.repeat(90)}/${'c'.repeat(90)}.txt`, 'long', 0o644],
    [`${'d'.repeat(200)}/${'e'.repeat(120)}.txt`, 'longer', 0o644],
    ['large.bin', 'x'.repeat(200_000), 0o644],
  ];
  const folder = join(root, 'module');
  for (const [name, content, mode] of files) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), content);
    chmodSync(join(folder, name), mode);
  }
  for (const [name, command, args] of READERS) {
    it.skipIf(run(command, ['--version']).error !== undefined)(name, async () => {
      for (const format of ['gnu', 'pax']) {
        const upload = join(root, `upload-${format}.tgz`);
        expect(run('tar', ['czf', upload, `--format=${format}`, '.'], folder).status).toBe(0);
        const archive = join(root, `served-${format}.tgz`);
        writeFileSync(archive, await served(readFileSync(upload)));
        const into = mkdtempSync(join(root, 'into-'));
        const unpacked = run(command, args(archive, into));
        expect(unpacked.status, unpacked.stderr.toString()).toBe(0);
        expect(unpacked.stderr.toString()).toBe('');
        expect(treeOf(into)).toEqual(treeOf(folder));
      }
    });
  }
});

it('leaves the archive of an earlier release as it is, and takes its upload for the same', async () => {
  const { catalogue, publish, storage, remove } = setUp();
  const details = await publish(moduleArchive());
  const key = 'catalogue/version/acme!network!aws!1.0.0';
  const record = JSON.parse((await storage.get(key))?.value ?? '');
  const { uploadDigest, ...former } = record;
  expect(uploadDigest).not.toBe(details.archive.digest);
  // Kept as it came: the archive is the upload.
  const value = JSON.stringify({ ...former, archive: { ...former.archive, digest: uploadDigest } });
  await storage.commit([
    { type: 'put', key, value, if: 'present' },
    {
      type: 'put',
      key: `catalogue/part/acme!network!aws!1.0.0!${uploadDigest}!000`,
      value: (await storage.get(`catalogue/part/acme!network!aws!1.0.0!${details.archive.digest}!000`))?.value ?? '',
      if: 'any',
    },
  ]);
  expect((await publish(moduleArchive())).archive.digest).toBe(uploadDigest);
  expect(await failureOf(publish(tarGz([{ ...main, content: '' }])))).toMatchObject({ code: 'version_exists' });
  expect(await catalogue.versions(NETWORK)).toHaveLength(1);
  remove();
});

it('answers a full scratch disk as unavailable', async () => {
  const { createRepacker } = await import('./repack.js');
  const full = () => Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
  const repacker = createRepacker({ fd: -1, read: full, write: full });
  const entry = { parts: ['a'], kind: 'file', sizeBytes: 1e6, isExecutable: false } as const;
  const content = (async function* () {
    for (let left = entry.sizeBytes; left > 0; left -= 10_000) yield crypto.getRandomValues(new Uint8Array(10_000));
  })();
  const packed = (async () => {
    await repacker.add({ ...entry, content });
    return repacker.end();
  })();
  expect(await failureOf(packed)).toMatchObject({ code: 'unavailable' });
  repacker.close();
});
