/** Lists, searches and the latest version (MODULE-2, MODULE-6, PAGE-4). */
import { createMemoryStorage } from '@postern/storage-memory';
import { describe, expect, it, vi } from 'vitest';
import { createTestRegistry, errorOf, MODULE, V1 } from '../../test/create-test-registry.js';
import { noticeOf } from '../version-status.js';

const versionsOf = (list: { versions: readonly { summary: { version: string } }[] }) =>
  list.versions.map(({ summary }) => summary.version);

describe('the versions of a module', () => {
  it('are listed newest first, each with its state', async () => {
    const versions = ['1.10.0', '1.9.0', '2.0.0-rc.1', '1.9.0+b', 'not-a-version'];
    const { registry, manager, reader } = createTestRegistry({ versions });
    await registry.open(manager()).deprecate({ ...V1, version: '1.9.0' }, { reason: 'r', reasonClass: 'other' });
    await registry.open(manager()).deprecate({ ...V1, version: '1.9.0+b' }, {});
    await registry.open(manager()).revoke({ ...V1, version: '1.9.0+b' }, {});
    const list = await registry.open(reader()).listVersions(V1);
    expect(list.module).toEqual(MODULE);
    expect(versionsOf(list)).toEqual(['2.0.0-rc.1', '1.10.0', '1.9.0+b', '1.9.0']);
    expect(list.versions.map(({ status }) => status.state)).toEqual(['active', 'active', 'revoked', 'deprecated']);
    expect(list.versions.map(({ status }) => noticeOf(status.deprecation))).toEqual([
      null,
      null,
      { reason: null, link: null },
      { reason: 'r', link: null },
    ]);
    for (const { summary, status } of list.versions) expect(status.id).toBe(`acme/network/aws/${summary.version}`);
  });

  it.each<[string, string[], Record<string, 'deprecated' | 'revoked'>, string, string | undefined]>([
    ['a release before a newer prerelease', ['1.0.0', '2.0.0-rc.1'], {}, '1.0.0', '1.0.0'],
    ['a prerelease where there is nothing else', ['1.0.0-a', '1.0.0-b'], {}, '1.0.0-b', '1.0.0-b'],
    ['a deprecated one too', ['1.0.0', '2.0.0'], { '2.0.0': 'deprecated' }, '2.0.0', '1.0.0'],
    ['none that is revoked', ['1.0.0', '2.0.0'], { '2.0.0': 'revoked' }, '1.0.0', '1.0.0'],
    [
      'a revoked one where all are',
      ['1.0.0', '2.0.0-a'],
      { '1.0.0': 'revoked', '2.0.0-a': 'revoked' },
      '1.0.0',
      undefined,
    ],
    ['with no active one left', ['1.0.0', '2.0.0'], { '1.0.0': 'deprecated', '2.0.0': 'revoked' }, '1.0.0', undefined],
    ['an active prerelease is suggested', ['1.0.0', '2.0.0-a'], { '1.0.0': 'deprecated' }, '1.0.0', '2.0.0-a'],
  ])('latest: %s', async (_name, versions, states, latest, latestActive) => {
    const { registry, manager, reader } = createTestRegistry({ versions });
    for (const [version, state] of Object.entries(states)) {
      await registry.open(manager()).deprecate({ ...V1, version }, {});
      if (state === 'revoked') await registry.open(manager()).revoke({ ...V1, version }, {});
    }
    const list = await registry.open(reader()).listVersions(V1);
    expect(list.latest.summary.version).toBe(latest);
    expect(list.latestActive?.summary.version).toBe(latestActive);
    expect((await registry.open(reader()).latest(V1)).details.address.version).toBe(latest);
  });

  it('of no semantic version are none', async () => {
    const { registry, reader } = createTestRegistry({ versions: ['nightly'] });
    expect((await errorOf(registry.open(reader()).listVersions(V1))).code).toBe('not_found');
    expect(await registry.open(reader()).listModules()).toMatchObject({ modules: [] });
  });

  it('are the very same object while nothing changed, and read from storage by one small record', async () => {
    const { registry, manager, reader, storage, catalogue } = createTestRegistry();
    await registry.open(manager()).deprecate(V1, { reason: 'r' });
    const first = await registry.open(reader()).listVersions(V1);
    const asked: string[] = [];
    const { get, list } = storage;
    storage.get = (key, options) => {
      asked.push(key);
      return get.call(storage, key, options);
    };
    storage.list = (prefix, query, options) => {
      asked.push(prefix);
      return list.call(storage, prefix, query, options);
    };
    expect(await registry.open(reader()).listVersions(V1)).toBe(first);
    expect(asked).toEqual(['postern/registry/acme/mark/network/aws']);
    // A catalogue may answer the same summaries in a new array.
    const { versions } = catalogue;
    catalogue.versions = async (module, options) => [...(await versions(module, options))];
    expect(await registry.open(reader()).listVersions(V1)).toBe(first);
    catalogue.add({ address: { ...V1, version: '3.0.0' } });
    expect(versionsOf(await registry.open(reader()).listVersions(V1))[0]).toBe('3.0.0');
    expect(() => Object.assign(first.latest.status, { state: 'active' })).toThrow(TypeError);
  });

  it('show at once what another process committed', async () => {
    const storage = createMemoryStorage();
    const here = createTestRegistry({ storage });
    const there = createTestRegistry({ storage });
    for (const reason of ['one', 'two']) {
      await there.registry.open(there.manager()).deprecate(V1, { reason });
      const list = await here.registry.open(here.reader()).listVersions(V1);
      expect(list.versions.at(-1)?.status.deprecation?.reason).toBe(reason);
    }
    await there.registry.open(there.manager()).reinstate(V1);
    expect((await here.registry.open(here.reader()).listVersions(V1)).versions.at(-1)?.status.state).toBe('active');
  });

  it('are those of one module, not of one whose name begins alike', async () => {
    const { registry, manager, reader, catalogue } = createTestRegistry();
    for (const name of ['net', 'network2']) catalogue.add({ address: { ...V1, name } });
    catalogue.add({ address: { ...V1, provider: 'aws2' } });
    await registry.open(manager()).deprecate(V1, {});
    for (const module of [
      { ...MODULE, name: 'net' },
      { ...MODULE, name: 'network2' },
      { ...MODULE, provider: 'aws2' },
    ]) {
      expect((await registry.open(reader()).listVersions(module)).latest.status.state).toBe('active');
    }
  });

  it('may be more than one page of storage', async () => {
    const versions = Array.from({ length: 1005 }, (_, n) => `1.0.${n}`);
    const { registry, manager, reader } = createTestRegistry({ versions });
    for (let from = 0; from < versions.length; from += 500) {
      const range = `>= 1.0.${from}, < 1.0.${from + 500}`;
      await registry.open(manager()).deprecateRange(V1, { range, dryRun: false });
    }
    const list = await registry.open(reader()).listVersions(V1);
    expect(list.versions.every(({ status }) => status.state === 'deprecated')).toBe(true);
    expect(list.latestActive).toBeUndefined();
  });
});

describe('the list of modules', () => {
  function manyModules() {
    const test = createTestRegistry();
    for (const [name, provider] of [
      ['dns', 'aws'],
      ['network', 'gcp'],
      ['vpc', 'aws'],
    ] as const) {
      test.catalogue.add({ address: { namespace: 'acme', name, provider, version: '1.0.0' } });
    }
    test.catalogue.add({ address: { namespace: 'other', name: 'dns', provider: 'aws', version: '1.0.0' } });
    return test;
  }

  const ids = ({ modules }: { modules: readonly { status: { id: string } }[] }) =>
    modules.map(({ status }) => status.id);

  it.each<[string, object, string[]]>([
    ['all', {}, ['acme/dns/aws/1.0.0', 'acme/network/aws/2.0.0', 'acme/network/gcp/1.0.0', 'acme/vpc/aws/1.0.0']],
    ['of a namespace', { namespace: 'acme', limit: 1 }, ['acme/dns/aws/1.0.0']],
    ['of an unknown namespace', { namespace: 'nobody' }, []],
    ['of somebody else', { namespace: 'other' }, []],
    ['of what is no namespace', { namespace: '../acme' }, []],
    ['of a provider', { provider: 'gcp' }, ['acme/network/gcp/1.0.0']],
    ['by a word', { words: 'NET' }, ['acme/network/aws/2.0.0', 'acme/network/gcp/1.0.0']],
    ['by two words', { words: 'net gcp' }, ['acme/network/gcp/1.0.0']],
    ['by a word that is nowhere', { words: 'zzz' }, []],
    ['a page', { offset: 1, limit: 2 }, ['acme/network/aws/2.0.0', 'acme/network/gcp/1.0.0']],
    ['beyond the end', { offset: 9 }, []],
  ])('has %s', async (_name, query, expected) => {
    const { registry, reader } = manyModules();
    expect(ids(await registry.open(reader()).listModules(query))).toEqual(expected);
  });

  it('says where the next page begins', async () => {
    const { registry, reader } = manyModules();
    const list = (offset: number) => registry.open(reader()).listModules({ offset, limit: 2 });
    expect(await list(0)).toMatchObject({ offset: 0, limit: 2, nextOffset: 2 });
    expect((await list(2)).nextOffset).toBeUndefined();
  });

  it.each([
    [{ limit: 0 }, '/limit'],
    [{ limit: 101 }, '/limit'],
    [{ limit: 1.5 }, '/limit'],
    [{ offset: -1 }, '/offset'],
    [{ offset: 10_001 }, '/offset'],
    [{ words: 'x'.repeat(257) }, '/words'],
    [{ provider: 5 as never }, '/provider'],
  ])('refuses %j', async (query, pointer) => {
    const { registry, reader } = manyModules();
    expect(await errorOf(registry.open(reader()).listModules(query))).toMatchObject({ code: 'input_invalid', pointer });
  });

  it('leaves out a module that goes while it is read', async () => {
    const { registry, reader, catalogue } = manyModules();
    const { details } = catalogue;
    catalogue.details = async (version, options) => (version.name === 'dns' ? undefined : details(version, options));
    expect(ids(await registry.open(reader()).listModules())).toHaveLength(3);
  });

  /** A catalogue that tells the newest version with the module. */
  function tellingNewest(version = '2.0.0') {
    const test = createTestRegistry();
    const facts = { owner: 'ci', description: 'Networks', source: '', publishedAt: 5 };
    const newest = { ...facts, address: { ...MODULE, version } };
    test.catalogue.listModules = async () => ({ modules: [{ ...MODULE, newest }], next: undefined });
    return { ...test, newest };
  }

  it('is made of what the catalogue tells of the newest version, and of one read of states', async () => {
    const { registry, manager, reader, catalogue, storage, newest } = tellingNewest();
    await registry.open(manager()).deprecate(newest.address, { reason: 'r' });
    const before = catalogue.calls().length;
    const reads = {
      get: vi.spyOn(storage, 'get'),
      getMany: vi.spyOn(storage, 'getMany'),
      list: vi.spyOn(storage, 'list'),
    };
    const { modules } = await registry.open(reader()).listModules();
    expect(modules).toMatchObject([{ details: newest, status: { deprecation: { reason: 'r' } } }]);
    expect(catalogue.calls().slice(before)).toEqual([]);
    expect(Object.values(reads).map(({ mock }) => mock.calls.length)).toEqual([0, 1, 0]);
  });

  it('has the latest where the newest is revoked, or is not told', async () => {
    const { registry, manager, reader, newest } = tellingNewest();
    await registry.open(manager()).deprecate(newest.address, {});
    await registry.open(manager()).revoke(newest.address, {});
    expect(ids(await registry.open(reader()).listModules())).toEqual(['acme/network/aws/1.1.0']);
    const odd = tellingNewest('nightly');
    expect(ids(await odd.registry.open(odd.reader()).listModules())).toEqual(['acme/network/aws/2.0.0']);
  });

  it('is searched by the catalogue where it can, in the order that it answers, among what the caller may read', async () => {
    const { registry, reader, catalogue } = manyModules();
    const asked: object[] = [];
    const found = ['vpc', 'dns', 'network'].map((name) => ({ namespace: 'acme', name, provider: 'aws' }));
    catalogue.search = async (query) => {
      asked.push(query);
      return found.slice(query.offset, query.offset + query.limit);
    };
    const first = await registry.open(reader()).listModules({ words: 'encrypt', provider: 'aws', limit: 2 });
    expect(ids(first)).toEqual(['acme/vpc/aws/1.0.0', 'acme/dns/aws/1.0.0']);
    expect(first.nextOffset).toBe(2);
    const query = { namespaces: ['acme'], words: 'encrypt', provider: 'aws', offset: 0, limit: 3 };
    expect(asked).toEqual([query]);
    expect(ids(await registry.open(reader()).listModules({ words: 'encrypt', namespace: 'other' }))).toEqual([]);
    expect(ids(await registry.open(reader()).listModules({ words: ' ' }))).toHaveLength(4);
    expect(asked).toHaveLength(1);
    expect((await registry.open(reader()).listModules({ words: 'encrypt', offset: 2 })).nextOffset).toBeUndefined();
  });

  it('of one name has the latest for each provider', async () => {
    const { registry, reader } = manyModules();
    const views = await registry.open(reader()).latestByProvider({ namespace: 'acme', name: 'network' });
    expect(views.map(({ status }) => status.id)).toEqual(['acme/network/aws/2.0.0', 'acme/network/gcp/1.0.0']);
    expect((await errorOf(registry.open(reader()).latestByProvider({ namespace: 'acme', name: 'net' }))).code).toBe(
      'not_found',
    );
  });

  it('walks more modules than one page of a catalogue', async () => {
    const { registry, reader, catalogue } = createTestRegistry({ versions: [] });
    for (let n = 0; n < 450; n += 1) {
      catalogue.add({ address: { ...V1, name: `m${String(n).padStart(3, '0')}` } });
    }
    const page = await registry.open(reader()).listModules({ offset: 440, limit: 100 });
    expect(ids(page)).toHaveLength(10);
    expect(ids(page)[9]).toBe('acme/m449/aws/1.0.0');
  });
});
