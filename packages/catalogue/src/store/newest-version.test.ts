/** What a list says of a module: always of its newest version, read from one record. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failingPorts } from '../../test/failing-ports.js';
import { moduleArchive, NETWORK, type SetUp, setUp } from '../../test/set-up.js';
import { createHostedCatalogue } from '../hosted-catalogue.js';

let made: SetUp;
beforeEach(() => {
  made = setUp();
});
afterEach(() => made.remove());

const publish = (version: string, owner = 'ci') =>
  made.publish(moduleArchive(), { version: { ...NETWORK, version }, owner, description: `about ${version}` });
const remove = (version: string) => made.catalogue.delete({ ...NETWORK, version });
const newest = async (catalogue = made.catalogue) =>
  (await catalogue.listModules({ namespace: 'acme', limit: 5 })).modules[0]?.newest;

describe('the newest version of a module', () => {
  it.each<[string, readonly string[], string]>([
    ['is not the one published last', ['1.10.0', '1.9.0'], '1.10.0'],
    ['is a release before a newer prerelease', ['1.0.0', '2.0.0-rc.1'], '1.0.0'],
    ['is a release after a newer prerelease', ['2.0.0-rc.1', '1.0.0'], '1.0.0'],
    ['is a prerelease where there is nothing else', ['1.0.0-b', '1.0.0-a'], '1.0.0-b'],
    ['is one that can be ordered', ['99999999999999999999.0.0', '1.0.0'], '1.0.0'],
  ])('%s', async (_name, versions, expected) => {
    for (const version of versions) await publish(version, 'first');
    expect(await newest()).toMatchObject({ address: { ...NETWORK, version: expected }, owner: 'first' });
    expect((await newest())?.description).toBe(`about ${expected}`);
  });

  it('is the one before once it is deleted, and stays where another is', async () => {
    for (const version of ['1.0.0', '1.1.0', '2.0.0-rc.1', '1.2.0']) await publish(version);
    await remove('1.0.0');
    expect((await newest())?.address.version).toBe('1.2.0');
    await remove('1.2.0');
    expect((await newest())?.address.version).toBe('1.1.0');
    await remove('1.1.0');
    expect((await newest())?.address.version).toBe('2.0.0-rc.1');
    await remove('2.0.0-rc.1');
    expect((await made.catalogue.listModules({ namespace: 'acme', limit: 5 })).modules).toEqual([]);
  });

  it('is what was published last under a number that was deleted', async () => {
    await publish('1.0.0', 'first');
    await publish('0.9.0');
    await remove('1.0.0');
    await publish('1.0.0', 'second');
    expect((await newest())?.owner).toBe('second');
  });

  it('is found again where a process that does not know it published or deleted', async () => {
    const older = createHostedCatalogue({ ...made, recordFormat: () => 1 });
    await publish('1.1.0');
    const { keys } = { keys: 'catalogue/module/acme!network!aws' };
    await older.delete({ ...NETWORK, version: '0.0.1' });
    await older.publish({ version: { ...NETWORK, version: '2.0.0' }, owner: 'old', content: archive('y') });
    expect((await made.storage.get(keys))?.value).not.toContain('newest');
    expect(await newest()).toBeUndefined();
    await publish('1.2.0');
    expect(await newest()).toMatchObject({ owner: 'old', address: { version: '2.0.0' } });
  });

  it('is told by one read of storage for a page of modules', async () => {
    for (const name of ['dns', 'network', 'vpc']) {
      await made.publish(moduleArchive(), { version: { ...NETWORK, name } });
    }
    const ports = failingPorts(made, Number.POSITIVE_INFINITY, 'unavailable');
    const catalogue = createHostedCatalogue({ ...ports, clock: made.clock });
    const { modules } = await catalogue.listModules({ namespace: 'acme', limit: 50 });
    expect(modules.map((module) => module.newest?.address.name)).toEqual(['dns', 'network', 'vpc']);
    expect(ports.calls()).toBe(1);
  });
});

async function* archive(text: string): AsyncGenerator<Uint8Array> {
  yield moduleArchive(text);
}
