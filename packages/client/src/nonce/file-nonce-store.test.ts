/** Nonces in files: one for all who ask, through races and crashes, and never where others could read it. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from '@postern/internal';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileNonceStore } from './file-nonce-store.js';
import { makeNonce, memoryNonceStore, nonceKey } from './nonce-store.js';

let home: string;
let folder: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'postern-nonces-'));
  folder = join(home, 'state', 'nonces');
});
afterEach(() => rm(home, { recursive: true }));

const KEY = nonceKey('https://postern.test', 'auth/cloud', 'i-1');
const modeOf = (path: string) => statSync(path).mode & 0o777;
const theFile = () => join(folder, readdirSync(folder).find((name) => name.endsWith('.json')) ?? 'none');

describe.each([
  ['files', () => fileNonceStore(folder)],
  ['memory', memoryNonceStore],
])('nonces in %s', (_name, create) => {
  it('are kept by their key, the first proposal for good', async () => {
    const store = create();
    expect(await store.keep(KEY, 'first')).toBe('first');
    expect(await store.keep(KEY, 'second')).toBe('first');
    expect(await store.keep(nonceKey('https://other.test', 'auth/cloud', 'i-1'), 'third')).toBe('third');
    expect(await store.keep(nonceKey('https://postern.test', 'auth/aws', 'i-1'), 'fourth')).toBe('fourth');
    expect(await store.keep(nonceKey('https://postern.test', 'auth/cloud', 'i-2'), 'fifth')).toBe('fifth');
    expect(await store.keep(KEY, 'sixth')).toBe('first');
  });

  it('are one for all who ask at once', async () => {
    const store = create();
    const all = await Promise.all(Array.from({ length: 20 }, () => store.keep(KEY, makeNonce())));
    expect(new Set(all).size).toBe(1);
    expect(await store.keep(KEY, makeNonce())).toBe(all[0]);
  });
});

it('a nonce has 128 bits, and is another each time', () => {
  expect(makeNonce()).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(Array.from({ length: 50 }, makeNonce)).size).toBe(50);
});

it('folder and file are for their owner alone', async () => {
  await fileNonceStore(folder).keep(KEY, 'mine');
  expect([modeOf(folder), modeOf(join(home, 'state')), modeOf(theFile())]).toEqual([0o700, 0o700, 0o600]);
  expect(readdirSync(folder)).toHaveLength(1);
  expect(JSON.parse(readFileSync(theFile(), 'utf8'))).toEqual({ for: KEY, nonce: 'mine' });
});

describe('what is not safe is refused, and nothing is sent', () => {
  const keep = () => fileNonceStore(folder).keep(KEY, 'other');

  it.each([0o640, 0o604, 0o620, 0o601])('a file with mode %o', async (mode) => {
    await fileNonceStore(folder).keep(KEY, 'mine');
    chmodSync(theFile(), mode);
    await expect(keep()).rejects.toMatchObject({ kind: 'nonce_store', code: 'nonce_file_unsafe' });
    chmodSync(theFile(), 0o600);
    expect(await keep()).toBe('mine');
  });

  it.each([0o720, 0o702])('a folder with mode %o', async (mode) => {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, mode);
    await expect(keep()).rejects.toMatchObject({ code: 'nonce_file_unsafe' });
    expect(readdirSync(folder)).toEqual([]);
  });

  // Only root can give a file away.
  it.skipIf(process.getuid?.() !== 0)('a file or a folder of somebody else', async () => {
    await fileNonceStore(folder).keep(KEY, 'mine');
    chownSync(theFile(), 12_345, 0);
    await expect(keep()).rejects.toMatchObject({ code: 'nonce_file_unsafe' });
    chownSync(theFile(), 0, 0);
    expect(await keep()).toBe('mine');
    chownSync(folder, 12_345, 0);
    await expect(keep()).rejects.toMatchObject({ code: 'nonce_file_unsafe' });
  });

  it('links, to a file or to a folder', async () => {
    await fileNonceStore(folder).keep(KEY, 'mine');
    const file = theFile();
    const elsewhere = join(home, 'elsewhere');
    linkSync(file, elsewhere);
    await rm(file);
    symlinkSync(elsewhere, file);
    await expect(keep()).rejects.toMatchObject({ code: 'nonce_file_unsafe' });
    const linked = join(home, 'linked');
    symlinkSync(folder, linked);
    await expect(fileNonceStore(linked).keep(KEY, 'x')).rejects.toMatchObject({ code: 'nonce_file_unsafe' });
  });

  it.skipIf(process.platform === 'win32')('a pipe, which it does not wait for', async () => {
    await fileNonceStore(folder).keep(KEY, 'mine');
    const file = theFile();
    await rm(file);
    expect(spawnSync('mkfifo', ['-m', '600', file]).status).toBe(0);
    await expect(keep()).rejects.toMatchObject({ code: 'nonce_file_unsafe' });
  });

  it('a folder in place of the file, a file too large', async () => {
    await fileNonceStore(folder).keep(KEY, 'mine');
    const file = theFile();
    writeFileSync(file, ' '.repeat(4_097));
    await expect(keep()).rejects.toMatchObject({ code: 'nonce_file_unsafe' });
    await rm(file);
    mkdirSync(file, { mode: 0o700 });
    await expect(keep()).rejects.toMatchObject({ code: 'nonce_file_unsafe' });
  });

  it.each(['', 'canary', '{}', 'null', '{"for":"another","nonce":"x"}', JSON.stringify({ for: KEY, nonce: '' })])(
    'a file that holds %s',
    async (text) => {
      await fileNonceStore(folder).keep(KEY, 'mine');
      writeFileSync(theFile(), text);
      const error = await keep().catch((each) => each);
      expect(error).toMatchObject({ kind: 'nonce_store', code: 'nonce_file_damaged' });
      expect(String(error)).not.toContain('canary');
    },
  );

  it('a place where nothing can be kept', async () => {
    writeFileSync(join(home, 'state'), '');
    await expect(keep()).rejects.toMatchObject({ kind: 'nonce_store', code: 'nonce_store_unavailable' });
  });
});

describe('a crash', () => {
  it('before the file is in place leaves no nonce, and nothing in the way', async () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, '.half.json.0123'), '{"for":', { mode: 0o600 });
    expect(await fileNonceStore(folder).keep(KEY, 'mine')).toBe('mine');
    expect(existsSync(join(folder, '.half.json.0123'))).toBe(true);
  });

  it('right after it leaves the nonce that may have been sent', async () => {
    await fileNonceStore(folder).keep(KEY, 'mine');
    linkSync(theFile(), join(folder, '.left-behind'));
    expect(await fileNonceStore(folder).keep(KEY, 'other')).toBe('mine');
  });
});

it('processes that start at once have one nonce, also those that are killed', async () => {
  const script = join(home, 'keep.mjs');
  await build({
    stdin: {
      contents: `
        import { writeSync } from 'node:fs';
        import { fileNonceStore } from './file-nonce-store.js';
        import { makeNonce } from './nonce-store.js';
        for (let at = 0; ; at += 1) writeSync(1, at + ' ' + (await fileNonceStore(process.argv[2]).keep('key ' + at, makeNonce())) + '\\n');
      `,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: script,
    logLevel: 'silent',
  });
  const children = Array.from({ length: 3 }, () => startChild(script, [folder]));
  await Promise.all(children.map((child) => child.said(25)));
  await Promise.all(children.map((child) => child.kill()));
  const said = children.flatMap((child) => child.lines());
  const nonces = new Map(said.map((line): [string, string] => [line.split(' ')[0] ?? '', line.split(' ')[1] ?? '']));
  expect(nonces.size).toBeGreaterThanOrEqual(25);
  for (const line of said) expect(line).toBe(`${line.split(' ')[0]} ${nonces.get(line.split(' ')[0] ?? '')}`);
  const store = fileNonceStore(folder);
  for (const [at, nonce] of nonces) expect(await store.keep(`key ${at}`, 'later')).toBe(nonce);
});

it('keeps nonces below the folder in which it was created, even where that was removed', async () => {
  const before = process.cwd();
  process.chdir(home);
  try {
    const store = fileNonceStore('state/nonces');
    await rm(home, { recursive: true });
    expect(await store.keep(KEY, 'n-1')).toBe('n-1');
    expect(readdirSync(folder)).toHaveLength(1);
  } finally {
    process.chdir(before);
  }
});
