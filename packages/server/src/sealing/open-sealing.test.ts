/** The key of a database at the start (STORE-4): made once, kept from others, and never replaced where it is lost or wrong. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNodeCrypto } from '@postern/crypto-node';
import type { Storage } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadRegistryKeys, resealRegistryKeys } from '../registry/registry-keys.js';
import { StartError } from '../start-error.js';
import { openSealing } from './open-sealing.js';
import { resolveSealing, type SealingConfig } from './sealing-config.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-key-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const crypto = createNodeCrypto();
const newest = () => 2;
const fileIn = (name = 'postern.key') => join(folder, name);
const open = (storage: Storage, config: SealingConfig = [{ keyFile: fileIn() }]) =>
  openSealing(config, storage, newest);

/** Seals something, so that the database needs its key. */
async function seal(storage: Storage): Promise<string> {
  const { sealer } = await open(storage);
  const { urlKey } = await loadRegistryKeys(storage, crypto, { sealer, format: newest });
  return Buffer.from(urlKey).toString('base64url');
}

const textOf = async (storage: Storage) => JSON.stringify((await storage.list('', { limit: 100, values: true })).items);
const failureOf = (work: Promise<unknown>) => work.then(String, (error: unknown) => error);

describe('the key file', () => {
  it('V2: is made at the first start for this user alone, and stays; the database shows no key', async () => {
    const storage = createMemoryStorage();
    const key = await seal(storage);
    expect(statSync(fileIn()).mode & 0o777).toBe(0o600);
    const content = readFileSync(fileIn(), 'utf8');
    expect(content).toMatch(/^postern-key-1\.[\w-]{43}\n$/);
    expect(await textOf(storage)).not.toContain(key);
    expect(await textOf(storage)).not.toContain(content.trim().slice(14));
    const { sealer } = await open(storage);
    const keys = await loadRegistryKeys(storage, crypto, { sealer, format: newest });
    expect(Buffer.from(keys.urlKey).toString('base64url')).toBe(key);
    expect(readFileSync(fileIn(), 'utf8')).toBe(content);
  });

  it('is the same for processes that start at once', async () => {
    const storages = [1, 2, 3, 4].map(() => createMemoryStorage());
    const made = await Promise.all(storages.map((storage) => open(storage)));
    expect(new Set(made.map(({ keyWrapper }) => keyWrapper?.[0]?.id)).size).toBe(1);
  });

  it('that is lost stops the start, and is not made again', async () => {
    const storage = createMemoryStorage();
    await seal(storage);
    rmSync(fileIn());
    const failure = await failureOf(open(storage));
    expect(failure).toBeInstanceOf(StartError);
    expect(String(failure)).toContain('restore the file');
    expect(existsSync(fileIn())).toBe(false);
  });

  it('that is another stops the start', async () => {
    const storage = createMemoryStorage();
    await seal(storage);
    rmSync(fileIn());
    await open(createMemoryStorage());
    const failure = await failureOf(open(storage));
    expect(failure).toBeInstanceOf(StartError);
    expect(String(failure)).toContain('cannot be opened');
  });

  it.each([0o644, 0o604, 0o620])('that others may use stops the start: mode %o', async (mode) => {
    await open(createMemoryStorage());
    chmodSync(fileIn(), mode);
    expect(String(await failureOf(open(createMemoryStorage())))).toContain('chmod 600');
  });

  it.each(['', 'secret', 'postern-key-1.AAAA'])('that holds %j stops the start, and is not quoted', async (content) => {
    writeFileSync(fileIn(), content, { mode: 0o600 });
    const failure = await failureOf(open(createMemoryStorage()));
    expect(failure).toBeInstanceOf(StartError);
    expect(String(failure)).toContain('is not a key file');
    if (content !== '') expect(String(failure)).not.toContain(content);
  });

  it('that cannot be written leaves no key on the disk', async () => {
    const probe = await openFile(fileIn('probe'), 'w');
    vi.spyOn(Object.getPrototypeOf(probe), 'sync').mockRejectedValueOnce(new Error('full'));
    onTestFinished(() => void vi.restoreAllMocks());
    await probe.close();
    expect(String(await failureOf(open(createMemoryStorage())))).toContain('full');
    expect(readdirSync(folder)).toEqual(['probe']);
  });

  it('in a folder that cannot be made stops the start', async () => {
    writeFileSync(fileIn('file'), '');
    const failure = await failureOf(open(createMemoryStorage(), [{ keyFile: join(fileIn('file'), 'postern.key') }]));
    expect(failure).toBeInstanceOf(StartError);
    expect(String(failure)).toContain('sealing.keyFile');
  });
});

describe('a change of keys', () => {
  it('opens with the former key until the data keys are rewrapped, and without it afterwards', async () => {
    const storage = createMemoryStorage();
    const key = await seal(storage);
    await open(createMemoryStorage(), [{ keyFile: fileIn('new.key') }]);
    const moving = await open(storage, [{ keyFile: fileIn('new.key') }, { keyFile: fileIn() }]);
    expect(await moving.sealer.rewrap()).toBe(1);
    const { sealer } = await open(storage, [{ keyFile: fileIn('new.key') }]);
    const keys = await loadRegistryKeys(storage, crypto, { sealer, format: newest });
    expect(Buffer.from(keys.urlKey).toString('base64url')).toBe(key);
  });

  it("reseals the registry's keys under a new data key, once", async () => {
    const storage = createMemoryStorage();
    await seal(storage);
    const { sealer } = await open(storage);
    expect(await resealRegistryKeys(storage, sealer, newest)).toBe(0);
    await sealer.rotate();
    expect(await resealRegistryKeys(storage, sealer, newest)).toBe(1);
    expect(await resealRegistryKeys(storage, sealer, newest)).toBe(0);
  });
});

describe('sealing "none"', () => {
  it('stores in plain text, and makes no file', async () => {
    const storage = createMemoryStorage();
    const { keyWrapper, sealer } = await open(storage, 'none');
    expect([keyWrapper, sealer.isSealing()]).toEqual([undefined, false]);
    const { urlKey } = await loadRegistryKeys(storage, crypto, { sealer, format: newest });
    expect(await textOf(storage)).toContain(Buffer.from(urlKey).toString('base64url'));
  });

  it('of a database that is sealed stops the start', async () => {
    const storage = createMemoryStorage();
    await seal(storage);
    expect(String(await failureOf(open(storage, 'none')))).toContain('are sealed');
  });
});

it('the key file lies beside the database file, or beside the configuration, unless it is named', () => {
  const file = { file: '/data/db/postern.db' };
  expect(resolveSealing(undefined, file, '/etc/postern')).toEqual([{ keyFile: '/data/db/postern.key' }]);
  expect(resolveSealing(undefined, { postgres: {} }, '/etc/postern')).toEqual([
    { keyFile: '/etc/postern/postern.key' },
  ]);
  expect(resolveSealing({ keyFile: 'k', former: [{ awsKms: { keyId: 'a' } }] }, file, '/etc')).toEqual([
    { keyFile: '/etc/k' },
    { awsKms: { keyId: 'a' } },
  ]);
});
