/** V7: what the registry inspected is what Go's archive/tar and go-getter, the unpacker of Terraform, make of what it serves. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createHostedCatalogue } from '@postern/catalogue';
import { createMemoryStorage } from '@postern/storage-memory';
import { createMemoryBlobStore } from '@postern/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { buildGoProgram, hasGo } from '../go-programs.js';
import { tarGz, zip } from '../terraform/archives.js';

const root = mkdtempSync(join(tmpdir(), 'postern-archives-'));
afterAll(() => rmSync(root, { recursive: true }));

const FILES: Readonly<Record<string, string>> = {
  'main.tf': 'variable "x" {}\n',
  'modules/sub/main.tf': 'output "y" { value = 1 }\n',
  'run.sh': '#!/bin/sh\n',
  'é ü.txt': 'x',
  [`${'a'.repeat(90)}/${'b'.repeat(90)}/${'c'.repeat(90)}.txt`]: 'long',
  [`${'d'.repeat(200)}/${'e'.repeat(120)}.txt`]: 'longer',
};

async function served(upload: Uint8Array): Promise<Uint8Array> {
  const clock = { now: Date.now };
  const catalogue = createHostedCatalogue({ storage: createMemoryStorage(), blobs: createMemoryBlobStore(), clock });
  const version = { namespace: 'acme', name: 'network', provider: 'aws', version: '1.0.0' };
  const content = (async function* () {
    yield upload;
  })();
  await catalogue.publish({ version, owner: 'ci', content });
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await catalogue.archive(version))?.content ?? []) chunks.push(chunk);
  return Buffer.concat(chunks);
}

interface GoEntry {
  readonly name: string;
  readonly type: string;
  readonly mode: number;
  readonly text: string;
}

/** @returns what archive/tar lists, and the folder that go-getter wrote. */
function unpackWithGo(archive: Uint8Array): { readonly entries: readonly GoEntry[]; readonly into: string } {
  const file = join(root, 'archive.tar.gz');
  const into = mkdtempSync(join(root, 'into-'));
  writeFileSync(file, archive);
  const printed = execFileSync(buildGoProgram(new URL('go/', import.meta.url)), [file, into], { encoding: 'utf8' });
  return { entries: JSON.parse(printed), into };
}

function packWithTar(format: string): Uint8Array {
  const folder = mkdtempSync(join(root, 'module-'));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  chmodSync(join(folder, 'run.sh'), 0o755);
  const args = ['czf', join(root, 'upload.tgz'), `--format=${format}`, '.'];
  const packed = spawnSync('tar', args, { cwd: folder, env: { ...process.env, LC_ALL: 'C.UTF-8' } });
  expect(packed.status, packed.stderr.toString()).toBe(0);
  return readFileSync(join(root, 'upload.tgz'));
}

describe.skipIf(!hasGo)('V7: Go unpacks what was inspected', () => {
  it.each(['gnu', 'pax'])('from an upload of GNU tar, format %s', async (format) => {
    const { entries, into } = unpackWithGo(await served(packWithTar(format)));
    const files = entries.filter(({ type }) => type === '0');
    expect(Object.fromEntries(files.map(({ name, text }) => [name, text]))).toEqual(FILES);
    expect(files.map(({ name, mode }) => [name, mode]).sort()).toEqual(
      Object.keys(FILES)
        .map((name) => [name, name === 'run.sh' ? 0o755 : 0o644])
        .sort(),
    );
    for (const [name, text] of Object.entries(FILES)) expect(readFileSync(join(into, name), 'utf8')).toBe(text);
    expect(statSync(join(into, 'run.sh')).mode & 0o111).not.toBe(0);
  });

  it('from a zip', async () => {
    const { entries } = unpackWithGo(await served(zip({ 'main.tf': 'variable "x" {}\n', 'docs/é.md': '#' })));
    expect(entries.map(({ name, text }) => [name, text])).toEqual([
      ['main.tf', 'variable "x" {}\n'],
      ['docs/é.md', '#'],
    ]);
  });

  it('and reads another name than older readers do from a GNU header with a prefix, which is refused', async () => {
    const bytes = gunzipSync(tarGz({ 'notes.tf': 'output "x" { value = 1 }\n', 'main.tf': '' }));
    // The first header: GNU magic, and a prefix where older readers have times.
    bytes.write('ustar  \0', 257, 'latin1');
    bytes.write('examples/hidden', 345);
    bytes.write('        ', 148);
    const sum = bytes.subarray(0, 512).reduce((total, byte) => total + byte, 0);
    bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    const upload = gzipSync(bytes);
    expect(unpackWithGo(upload).entries[0]?.name).toBe('examples/hidden/notes.tf');
    await expect(served(upload)).rejects.toMatchObject({ code: 'archive_unreadable' });
  });
});
