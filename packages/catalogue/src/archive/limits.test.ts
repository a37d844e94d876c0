/** Archives that are too much of something. What refuses them must itself cost little. */
import { randomBytes } from 'node:crypto';
import { constants, crc32, deflateRawSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { failureOf, inChunks, NETWORK, type SetUp, type SetUpOptions, setUp } from '../../test/set-up.js';
import { TAR_END, type TarEntry, tarEntry, tarGz, tarHeader } from '../../test/tar-writer.js';
import { zip } from '../../test/zip-writer.js';

const MIB = 1024 * 1024;
const main: TarEntry = { name: 'main.tf', content: 'variable "x" {}\n' };

const used: SetUp[] = [];
const start = (options?: SetUpOptions): SetUp => {
  const made = setUp(options);
  used.push(made);
  return made;
};
afterEach(() => {
  for (const each of used.splice(0)) each.remove();
});

/** Zeros under gzip, a tar of one file: 1 GiB in 1 MB. A chunk of zeros is compressed once and stands there many times. */
function gzipBomb(bytes: number): Uint8Array {
  const zeros = new Uint8Array(4 * MIB);
  const plain = [tarEntry(main), tarHeader({ name: 'zeros.bin', sizeBytes: bytes })];
  for (let left = bytes; left > 0; left -= zeros.length) plain.push(zeros);
  plain.push(TAR_END);
  const packed = new Map<Uint8Array, Uint8Array>();
  const parts = plain.map((part) => {
    const known = packed.get(part) ?? deflateRawSync(part, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
    packed.set(part, known);
    return known;
  });
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(plain.reduce<number>((sum, part) => crc32(part, sum), 0));
  trailer.writeUInt32LE(plain.reduce((sum, { length }) => sum + length, 0) % 2 ** 32, 4);
  const header = Buffer.from('1f8b0800000000000203', 'hex');
  return Buffer.concat([header, ...parts, deflateRawSync(new Uint8Array()), trailer]);
}

/** What a publication costs: its outcome, its time, and how far memory went up. */
async function measured(call: () => Promise<unknown>) {
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 5);
  const started = performance.now();
  const failure = await failureOf(call());
  clearInterval(watch);
  return { failure, elapsedMs: performance.now() - started, risenBytes: peak - before };
}

describe('a bomb', () => {
  it('of 1 GiB under gzip is refused quickly, in little memory, and leaves nothing', async () => {
    const bomb = gzipBomb(1024 * MIB);
    expect(bomb.length).toBeLessThan(2 * MIB);
    for (const limits of [{}, { maxRatio: 1e9 }]) {
      const { publish, leftovers } = start({ limits });
      const { failure, elapsedMs, risenBytes } = await measured(() => publish(bomb));
      expect(failure).toMatchObject({ code: 'archive_expands_too_much' });
      expect(elapsedMs).toBeLessThan(10_000);
      expect(risenBytes).toBeLessThan(100 * MIB);
      expect(await leftovers()).toEqual([]);
    }
  }, 60_000);

  it('of 1 GiB in a zip is refused by what it claims, and by what it unpacks to when it claims little', async () => {
    const content = new Uint8Array(64 * MIB);
    const packed = deflateRawSync(content, { level: 9 });
    const bombEntry = (index: number, sizeBytes: number) => ({
      name: `z${index}.bin`,
      content: packed,
      stored: true,
      both: { method: 8, sizeBytes, crc: 0 },
    });
    const honest = zip(Array.from({ length: 16 }, (_, index) => bombEntry(index, content.length)));
    const lying = zip(Array.from({ length: 16 }, (_, index) => bombEntry(index, 10)));
    for (const [archive, code] of [
      [honest, 'archive_expands_too_much'],
      [lying, 'archive_unreadable'],
    ] as const) {
      const { publish, leftovers } = start();
      const { failure, elapsedMs, risenBytes } = await measured(() => publish(archive));
      expect(failure).toMatchObject({ code });
      expect(elapsedMs).toBeLessThan(5_000);
      expect(risenBytes).toBeLessThan(100 * MIB);
      expect(await leftovers()).toEqual([]);
    }
  }, 60_000);

  it('within a bomb stays a file like any other', async () => {
    const { publish } = start();
    const inner = gzipBomb(64 * MIB);
    expect((await publish(tarGz([main, { name: 'inner.tar.gz', content: inner }]))).root.inputs).toHaveLength(1);
  });
});

describe('entries', () => {
  const files = (count: number) =>
    Array.from({ length: count }, (_, index): TarEntry => ({ name: `f${index}.txt`, content: 'x' }));

  it.each([
    ['tar.gz', () => tarGz([main, ...files(10_000)])],
    ['zip', () => zip(files(10_000).map(({ name, content }) => ({ name, content, stored: true })))],
  ])('10,000 of them are refused in a %s', async (_, make) => {
    const { publish, leftovers } = start();
    const { failure, elapsedMs } = await measured(() => publish(make()));
    expect(failure).toMatchObject({ code: 'archive_too_many_entries' });
    expect(elapsedMs).toBeLessThan(10_000);
    expect(await leftovers()).toEqual([]);
  });

  it('exactly as many as allowed are taken, and one more is not; folders and the root count', async () => {
    const limits = { maxEntries: 4 };
    const { publish } = start({ limits });
    const root: TarEntry = { name: './', type: '5' };
    await publish(tarGz([root, main, ...files(2)]));
    const other = { version: { ...NETWORK, version: '2.0.0' } };
    expect(await failureOf(publish(tarGz([root, main, ...files(3)]), other))).toMatchObject({
      code: 'archive_too_many_entries',
    });
  });
});

describe('sizes', () => {
  it('of the upload: exactly as many bytes as allowed are taken, and of one more nothing further is read', async () => {
    const archive = tarGz([main, { name: 'noise', content: randomBytes(50_000) }]);
    const exact = start({ limits: { maxArchiveBytes: archive.length } });
    expect((await exact.publish(archive)).archive.sizeBytes).toBeGreaterThan(50_000);
    const { catalogue, leftovers } = start({ limits: { maxArchiveBytes: archive.length - 1 } });
    let read = 0;
    const endless = async function* () {
      for (;;) {
        read += 10_000;
        yield new Uint8Array(10_000);
      }
    };
    const call = catalogue.publish({ version: NETWORK, owner: 'ci', content: endless() });
    expect(await failureOf(call)).toMatchObject({ code: 'archive_too_large' });
    expect(read).toBeLessThan(archive.length + 20_000);
    expect(await leftovers()).toEqual([]);
  });

  it.each([
    ['one file', [{ name: 'main.tf', content: `#${'x'.repeat(600_000)}` }], {}],
    [
      'all files',
      [
        main,
        ...Array.from({ length: 20 }, (_, index) => ({ name: `f${index}.tf`, content: `#${'x'.repeat(500_000)}` })),
      ],
      {},
    ],
    [
      'folders',
      [main, ...Array.from({ length: 501 }, (_, index) => ({ name: `modules/m${index}/main.tf`, content: '' }))],
      {},
    ],
    [
      'READMEs',
      [
        main,
        ...Array.from({ length: 20 }, (_, index) => ({
          name: `modules/m${index}/README.md`,
          content: 'x'.repeat(200_000),
        })),
      ],
      { maxRatio: 1e9 },
    ],
    [
      'descriptions',
      Array.from({ length: 6 }, (_, index) => ({
        name: `f${index}.tf`,
        content: `variable "v${index}" {\n description = "${'x'.repeat(400_000)}"\n}\n`,
      })),
      {},
    ],
    [
      'module calls',
      [
        {
          name: 'main.tf',
          content: Array.from(
            { length: 1_500 },
            (_, index) => `module "m${index}" {\n source = "acme/${'x'.repeat(50)}/aws"\n}\n`,
          ).join(''),
        },
      ],
      {},
    ],
  ])('of configuration are bounded: %s', async (_, entries, limits) => {
    const { publish, leftovers } = start({ limits });
    expect(await failureOf(publish(tarGz(entries)))).toMatchObject({ code: 'module_too_large' });
    expect(await leftovers()).toEqual([]);
  });

  it('of a README are cut, at a character', async () => {
    const { publish, catalogue } = start({ limits: { maxReadmeBytes: 5 } });
    await publish(tarGz([main, { name: 'README.md', content: 'abc€def' }]));
    expect((await catalogue.details(NETWORK))?.root.readme).toBe('abc');
  });

  it('that need many records are kept and read back whole', async () => {
    const { publish, catalogue, leftovers } = start();
    const description = '😀€x'.repeat(20_000);
    const entries = Array.from({ length: 6 }, (_, index) => ({
      name: `f${index}.tf`,
      content: `variable "v${index}" {\n description = "${description}"\n}\n`,
    }));
    const details = await publish(tarGz(entries));
    expect(await catalogue.details(NETWORK)).toEqual(details);
    expect(details.root.inputs.every((input) => input.description === description)).toBe(true);
    await catalogue.delete(NETWORK);
    expect(await leftovers()).toEqual([]);
  });
});

describe('the upload', () => {
  it('that breaks is answered with its error, and leaves nothing', async () => {
    const { catalogue, leftovers } = start();
    const failure = new Error('the connection broke');
    const broken = async function* () {
      yield* inChunks(tarGz([main]).subarray(0, 50));
      throw failure;
    };
    expect(await failureOf(catalogue.publish({ version: NETWORK, owner: 'ci', content: broken() }))).toBe(failure);
    expect(await leftovers()).toEqual([]);
  });

  it('that is aborted leaves nothing', async () => {
    const { catalogue, leftovers } = start();
    const control = new AbortController();
    const content = async function* () {
      yield* inChunks(tarGz([main]));
      control.abort(new Error('enough'));
    };
    const call = catalogue.publish({ version: NETWORK, owner: 'ci', content: content() }, { signal: control.signal });
    expect(await failureOf(call)).toMatchObject({ message: 'enough' });
    expect(await leftovers()).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')('has no name on the disk while it is received', async () => {
    const { catalogue, scratch } = start();
    const seen: string[] = [];
    const content = async function* () {
      yield* inChunks(tarGz([main]));
      seen.push(...scratch());
    };
    await catalogue.publish({ version: NETWORK, owner: 'ci', content: content() });
    expect(seen).toEqual([]);
  });
});
