import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failureOf, inChunks, moduleArchive, NETWORK, type SetUp, setUp } from '../../test/set-up.js';

let made: SetUp;
beforeEach(() => {
  made = setUp();
});
afterEach(() => made.remove());

const HOUR = 60 * 60 * 1000;
const orphan = async (text: string) =>
  (await made.blobs.put(inChunks(new TextEncoder().encode(text)), { maxBytes: 99 })).digest;

describe('a sweep', () => {
  it('removes a blob that nothing names a while after it was first seen, not before', async () => {
    await made.publish(moduleArchive());
    await orphan('nobody’s');
    expect(await made.catalogue.sweepUnreferenced()).toEqual({ removed: 0, noted: 1, failed: 0 });
    made.clock.advance(HOUR - 1);
    expect(await made.catalogue.sweepUnreferenced()).toEqual({ removed: 0, noted: 0, failed: 0 });
    made.clock.advance(1);
    expect(await made.catalogue.sweepUnreferenced()).toEqual({ removed: 1, noted: 0, failed: 0 });
    expect((await made.blobs.list({ limit: 9 })).digests).toHaveLength(1);
    expect(await made.catalogue.sweepUnreferenced()).toEqual({ removed: 0, noted: 0, failed: 0 });
  });

  it('spares a noted blob that was published since', async () => {
    const other = setUp();
    await other.publish(moduleArchive());
    const kept = await other.catalogue.archive(NETWORK);
    await made.blobs.put(kept?.content ?? inChunks(new Uint8Array()), { maxBytes: 1e6 });
    other.remove();
    expect(await made.catalogue.sweepUnreferenced()).toMatchObject({ noted: 1 });
    await made.publish(moduleArchive());
    made.clock.advance(2 * HOUR);
    expect(await made.catalogue.sweepUnreferenced()).toEqual({ removed: 0, noted: 0, failed: 0 });
    expect((await made.blobs.list({ limit: 9 })).digests).toHaveLength(1);
  });

  it('removes from the scratch folder what killed processes left there, and nothing else', async () => {
    const path = (name: string) => join(made.scratchFolder, name);
    const left = `postern-upload-${'0'.repeat(24)}`;
    const names = [left, `postern-upload-${'1'.repeat(24)}`, 'postern-upload-', 'notes.txt'];
    for (const name of names) writeFileSync(path(name), 'x');
    const old = (made.clock.now() - HOUR) / 1000;
    for (const name of [left, 'postern-upload-', 'notes.txt']) utimesSync(path(name), old, old);
    await made.catalogue.sweepUnreferenced();
    expect(made.scratch()).toEqual(names.slice(1).sort());
  });

  it('at a start removes at once what was left before it, and spares what is published since', async () => {
    const claim = (life: string) => {
      const record = { form: 1, references: 0, touchedAt: made.clock.now(), life, removing: false };
      return JSON.stringify(record);
    };
    const [left, claimed] = [await orphan('left'), await orphan('claimed since')];
    await made.storage.commit([{ type: 'put', key: `catalogue/blob/${left}`, value: claim('a'), if: 'absent' }]);
    made.clock.advance(1);
    const leftBefore = made.clock.now();
    await made.storage.commit([{ type: 'put', key: `catalogue/blob/${claimed}`, value: claim('b'), if: 'absent' }]);
    const spooled = `postern-upload-${'0'.repeat(24)}`;
    for (const [name, at] of [
      [spooled, leftBefore - 1000],
      [`postern-upload-${'1'.repeat(24)}`, leftBefore],
    ] as const) {
      writeFileSync(join(made.scratchFolder, name), 'x');
      utimesSync(join(made.scratchFolder, name), at / 1000, at / 1000);
    }
    expect(await made.catalogue.sweepUnreferenced({ leftBefore })).toEqual({ removed: 1, noted: 0, failed: 0 });
    expect((await made.blobs.list({ limit: 9 })).digests).toEqual([claimed]);
    expect(made.scratch()).not.toContain(spooled);
    expect(made.scratch()).toHaveLength(1);
  });

  it('gives other work its turn between two pages', async () => {
    for (let index = 0; index < 250; index += 1) await orphan(`blob ${index}`);
    await made.catalogue.sweepUnreferenced();
    let turns = 0;
    const count = () => {
      turns += 1;
      turning = setImmediate(count);
    };
    let turning = setImmediate(count);
    const { list } = made.storage;
    const atPages: number[] = [];
    made.storage.list = (prefix, query, options) => {
      if (prefix === 'catalogue/blob/') atPages.push(turns);
      return list.call(made.storage, prefix, query, options);
    };
    await made.catalogue.sweepUnreferenced();
    clearImmediate(turning);
    expect(atPages).toHaveLength(3);
    expect(new Set(atPages).size).toBe(3);
  });

  it('goes through more blobs than a page', async () => {
    for (let index = 0; index < 250; index += 1) await orphan(`blob ${index}`);
    expect(await made.catalogue.sweepUnreferenced()).toMatchObject({ noted: 250 });
    made.clock.advance(HOUR);
    expect(await made.catalogue.sweepUnreferenced()).toEqual({ removed: 250, noted: 0, failed: 0 });
    expect(await made.leftovers()).toEqual([]);
  });

  it('goes on past what fails, and counts it', async () => {
    const [first] = [await orphan('one'), await orphan('two')].sort();
    await made.catalogue.sweepUnreferenced();
    made.clock.advance(HOUR);
    await made.storage.commit([{ type: 'put', key: `catalogue/blob/${first}`, value: 'damaged', if: 'present' }]);
    expect(await made.catalogue.sweepUnreferenced()).toEqual({ removed: 1, noted: 0, failed: 1 });
  });

  it('ends a removal that was begun and not ended, and until then the same bytes can not be published', async () => {
    const { archive } = await made.publish(moduleArchive());
    await made.catalogue.delete({ namespace: 'acme', name: 'network', provider: 'aws', version: '1.0.0' });
    const key = `catalogue/blob/${archive.digest}`;
    const record = { form: 1, references: 0, touchedAt: made.clock.now(), life: 'a', removing: true };
    await made.storage.commit([{ type: 'put', key, value: JSON.stringify(record), if: 'absent' }]);
    expect(await failureOf(made.publish(moduleArchive()))).toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
    expect(await made.catalogue.sweepUnreferenced()).toEqual({ removed: 0, noted: 0, failed: 0 });
    made.clock.advance(60_000);
    expect(await made.catalogue.sweepUnreferenced()).toEqual({ removed: 1, noted: 0, failed: 0 });
    await made.publish(moduleArchive());
  });

  it('is not needed by a publisher who comes after the lease of a removal', async () => {
    await made.publish(moduleArchive());
    const [blob] = (await made.storage.list('catalogue/blob/', { limit: 1 })).items;
    const record = { form: 1, references: 1, touchedAt: made.clock.now() - 60_000, life: 'a', removing: true };
    await made.storage.commit([{ type: 'put', key: blob?.key ?? '', value: JSON.stringify(record), if: 'present' }]);
    const version = { namespace: 'acme', name: 'network', provider: 'aws', version: '2.0.0' };
    expect((await made.publish(moduleArchive(), { version })).address).toEqual(version);
  });
});
