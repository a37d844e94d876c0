/** Search over a storage that several processes publish to: each change is found at once. */
import { createMemoryStorage } from '@postern/storage-memory';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { failingPorts } from '../../test/failing-ports.js';
import { NETWORK, type SetUp, setUp } from '../../test/set-up.js';
import { tarGz } from '../../test/tar-writer.js';
import { createHostedCatalogue } from '../hosted-catalogue.js';

let made: SetUp;
beforeEach(() => {
  made = setUp();
});
afterEach(() => made.remove());

interface Publication {
  readonly namespace?: string;
  readonly version?: string;
  readonly provider?: string;
  readonly description?: string;
}

function publish(name: string, files: Readonly<Record<string, string>>, more: Publication = {}) {
  const { namespace = 'acme', version = '1.0.0', provider = 'aws', description } = more;
  const entries = Object.entries({ 'main.tf': 'variable "x" {}\n', ...files });
  const archive = tarGz(entries.map(([path, content]) => ({ name: path, content })));
  return made.publish(archive, { version: { namespace, name, provider, version }, description });
}

const search = async (words: string, more: object = {}, catalogue = made.catalogue) => {
  const found = await catalogue.search?.({ namespaces: ['acme'], words, offset: 0, limit: 20, ...more });
  return found?.map(({ name, newest }) => `${name} ${newest?.address.version}`);
};
const anotherProcess = () => createHostedCatalogue({ ...made });

describe('a search', () => {
  beforeEach(async () => {
    await publish('dns', { 'README.md': '# Zones\n\nDelegates to a parent.' });
    await publish('vpc', { 'main.tf': 'variable "enable_flow_logs" {\n  description = "Ship to a bucket"\n}\n' });
    await publish('iam', { 'modules/role/README.md': 'Trusts an identity provider.', 'modules/role/main.tf': '' });
    await publish('logs', {}, { description: 'Keeps buckets of logs', provider: 'gcp' });
    await publish('dns', { 'README.md': 'elsewhere' }, { namespace: 'other' });
  });

  it.each<[string, string, readonly string[]]>([
    ['by its README', 'delegates', ['dns 1.0.0']],
    ['by the name of an input', 'enable_flow_logs', ['vpc 1.0.0']],
    ['by the description of an input, after what is named so', 'logs bucket', ['logs 1.0.0', 'vpc 1.0.0']],
    ['by the README of a submodule', 'identity provider', ['iam 1.0.0']],
    ['by its description', 'keeps', ['logs 1.0.0']],
    ['by a part of its address', 'cme/vp', ['vpc 1.0.0']],
    ['by words of another organization never', 'elsewhere', []],
  ])('finds a module %s', async (_name, words, expected) => {
    expect(await search(words)).toEqual(expected);
  });

  it('is of the organizations and the provider that are asked for, by pages', async () => {
    expect(await search('dns', { namespaces: ['acme', 'other'] })).toHaveLength(2);
    expect(await search('dns', { namespaces: [] })).toEqual([]);
    expect(await search('dns', { namespaces: ['../acme', 'nobody'] })).toEqual([]);
    expect(await search('bucket', { provider: 'gcp' })).toEqual(['logs 1.0.0']);
    expect(await search('bucket', { offset: 1, limit: 1 })).toEqual(['vpc 1.0.0']);
  });

  it('sees at once what another process published, raised and deleted', async () => {
    const there = anotherProcess();
    expect(await search('delegates', {}, there)).toEqual(['dns 1.0.0']);
    await publish('new', { 'README.md': 'freshly made' });
    expect(await search('freshly', {}, there)).toEqual(['new 1.0.0']);
    await publish('new', { 'README.md': 'quite otherwise' }, { version: '1.1.0' });
    expect(await search('freshly', {}, there)).toEqual([]);
    expect(await search('otherwise', {}, there)).toEqual(['new 1.1.0']);
    await made.catalogue.delete({ ...NETWORK, name: 'new', version: '1.1.0' });
    expect(await search('freshly', {}, there)).toEqual(['new 1.0.0']);
    await made.catalogue.delete({ ...NETWORK, name: 'new' });
    expect(await search('freshly', {}, there)).toEqual([]);
    expect(await search('new', {}, there)).toEqual([]);
  });

  it('keeps the words of the newest version, whatever is published behind it', async () => {
    await publish('dns', { 'README.md': 'antique' }, { version: '0.9.0' });
    expect(await search('antique')).toEqual([]);
    expect(await search('delegates')).toEqual(['dns 1.0.0']);
  });

  it('asks storage twice while nothing changes: for what changed, and for what it answers', async () => {
    const ports = failingPorts(made, Number.POSITIVE_INFINITY, 'unavailable');
    const catalogue = createHostedCatalogue({ ...ports, clock: made.clock });
    await search('delegates', {}, catalogue);
    const before = ports.calls();
    for (let count = 0; count < 5; count += 1) expect(await search('delegates', {}, catalogue)).toEqual(['dns 1.0.0']);
    expect(ports.calls() - before).toBe(10);
  });

  it('reads again only what changed', async () => {
    const there = anotherProcess();
    await search('delegates', {}, there);
    const parts = vi.spyOn(made.storage, 'getMany');
    await publish('new', { 'README.md': 'freshly made' });
    parts.mockClear();
    await search('freshly', {}, there);
    const contents = parts.mock.calls.flatMap(([asked]) => asked.filter((key) => key.startsWith('catalogue/part/')));
    expect(contents.every((key) => key.includes('!new!'))).toBe(true);
    expect(contents).toHaveLength(1);
  });

  it('answers by address and description while contents take long, and by them once they are read', async () => {
    const { getMany } = made.storage;
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    made.storage.getMany = async (asked, options) => {
      if (asked.some((key) => key.startsWith('catalogue/part/'))) await held;
      return getMany.call(made.storage, asked, options);
    };
    const there = anotherProcess();
    expect(await search('keeps', {}, there)).toEqual(['logs 1.0.0']);
    expect(await search('delegates', {}, there)).toEqual([]);
    release();
    await vi.waitFor(async () => expect(await search('delegates', {}, there)).toEqual(['dns 1.0.0']));
  });

  it('fails as the storage does, and finds what it missed when the storage is back', async () => {
    const storage = createMemoryStorage();
    const fresh = setUp({ storage });
    await fresh.publish(tarGz([{ name: 'main.tf', content: 'variable "y" {}\n' }]));
    const list = vi.spyOn(storage, 'list').mockRejectedValueOnce(new Error('gone'));
    await expect(search('network', {}, fresh.catalogue)).rejects.toThrow('gone');
    expect(await search('network', {}, fresh.catalogue)).toEqual(['network 1.0.0']);
    expect(list).toHaveBeenCalledTimes(2);
    fresh.remove();
  });

  it('finds a module whose contents cannot be read by its description, and by them a minute after', async () => {
    const { getMany } = made.storage;
    let isBroken = true;
    made.storage.getMany = async (asked, options) => {
      if (isBroken && asked.some((key) => key.startsWith('catalogue/part/acme!dns'))) throw new Error('gone');
      return getMany.call(made.storage, asked, options);
    };
    const there = anotherProcess();
    expect(await search('delegates', {}, there)).toEqual([]);
    expect(await search('dns', {}, there)).toEqual(['dns 1.0.0']);
    expect(await search('flow', {}, there)).toEqual(['vpc 1.0.0']);
    isBroken = false;
    expect(await search('delegates', {}, there)).toEqual([]);
    made.clock.advance(60_000);
    expect(await search('delegates', {}, there)).toEqual(['dns 1.0.0']);
  });
});
