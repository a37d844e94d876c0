import type { Operation } from '@postern/ports';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failingPorts } from '../../test/failing-ports.js';
import { inChunks, moduleArchive, NETWORK, type SetUp, setUp } from '../../test/set-up.js';
import { createHostedCatalogue } from '../hosted-catalogue.js';
import { catalogueKeys, createEncode } from './records.js';

const keys = catalogueKeys('catalogue/');
const encode = createEncode(() => 1);
const version = (index: number) => `1.${index}.0`;

let made: SetUp;
beforeEach(() => {
  made = setUp();
});
afterEach(() => made.remove());

/** Summaries as publications leave them, without a thousand of those. */
async function fill(count: number): Promise<void> {
  const summaries = Array.from({ length: count }, (_, index): Operation => {
    const dependencies = [{ name: 'zones', source: 'acme/zones/aws', version: '~> 1.0' }];
    const providerDependencies = [{ name: 'aws', namespace: 'hashicorp', source: 'hashicorp/aws', version: '>= 5.0' }];
    const root = { dependencies, providerDependencies };
    const value = encode({ version: version(index), publishedAt: index, root, submodules: [] });
    return { type: 'put', key: keys.summary({ ...NETWORK, version: version(index) }), value, if: 'any' };
  });
  for (let start = 0; start < count; start += 25) await made.storage.commit(summaries.slice(start, start + 25));
  await made.storage.commit([
    { type: 'put', key: keys.module(NETWORK), value: encode({ versions: count }), if: 'any' },
  ]);
}

/** A catalogue of another process, and how often it asked the storage. */
const counting = () => {
  const ports = failingPorts(made, Number.POSITIVE_INFINITY, 'unavailable');
  return { catalogue: createHostedCatalogue({ ...ports, clock: made.clock }), calls: ports.calls };
};

describe('the versions of a module', () => {
  it.each([1, 999, 1_000, 1_001, 2_500])('are all listed, each once, when there are %s', async (count) => {
    await fill(count);
    const listed = await made.catalogue.versions(NETWORK);
    expect(listed.map((each) => each.version).sort()).toEqual(
      Array.from({ length: count }, (_, index) => version(index)).sort(),
    );
    expect(Object.keys(listed[0] ?? {})).toEqual(['version', 'publishedAt', 'root', 'submodules']);
  });

  it('cost one read while nothing was published, and are read again once anybody did', async () => {
    await fill(1_000);
    const { catalogue, calls } = counting();
    await catalogue.versions(NETWORK);
    expect(calls()).toBe(2);
    const started = performance.now();
    for (let count = 0; count < 100; count += 1) expect(await catalogue.versions(NETWORK)).toHaveLength(1_000);
    expect(calls()).toBe(102);
    expect(performance.now() - started).toBeLessThan(500);
    await made.publish(moduleArchive(), { version: { ...NETWORK, version: '9.0.0' } });
    expect(await catalogue.versions(NETWORK)).toHaveLength(1_001);
    await made.catalogue.delete({ ...NETWORK, version: '9.0.0' });
    expect(await catalogue.versions(NETWORK)).toHaveLength(1_000);
  });

  it('can not be changed by who reads them', async () => {
    await made.publish(moduleArchive());
    expect(Object.isFrozen(await made.catalogue.versions(NETWORK))).toBe(true);
  });

  it('are those of that module alone', async () => {
    for (const [name, provider] of [
      ['network', 'aws'],
      ['network', 'awsx'],
      ['network-x', 'aws'],
    ] as const) {
      const address = { ...NETWORK, name, provider };
      await made.catalogue.publish({ version: address, owner: 'ci', content: inChunks(moduleArchive(name)) });
    }
    expect(await made.catalogue.versions(NETWORK)).toHaveLength(1);
  });

  it('stay right when more modules are read than are remembered', async () => {
    await fill(60_000);
    const other = { ...NETWORK, name: 'other' };
    await made.publish(moduleArchive(), { version: other });
    for (let count = 0; count < 2; count += 1) {
      expect(await made.catalogue.versions(NETWORK)).toHaveLength(60_000);
      expect(await made.catalogue.versions(other)).toHaveLength(1);
    }
  });
});
