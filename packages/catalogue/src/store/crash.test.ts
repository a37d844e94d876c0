import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openFileBlobStore } from '@postern/blobs-files';
import { startChild } from '@postern/internal';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { createManualClock } from '@postern/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleChild } from '../../../../scripts/lib/bundle-child.mjs';
import { expectSound } from '../../test/expect-sound.js';
import { NETWORK } from '../../test/set-up.js';
import { createHostedCatalogue } from '../hosted-catalogue.js';

const ROUNDS = 5;
const script = fileURLToPath(new URL(`../../dist/crash-child-${process.pid}.mjs`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'postern-catalogue-crash-'));
const scratchFolder = join(folder, 'scratch');

beforeAll(async () => {
  mkdirSync(scratchFolder);
  await bundleChild(new URL('../../test/child.ts', import.meta.url), script);
});
afterAll(() => {
  rmSync(script, { force: true });
  rmSync(folder, { recursive: true, force: true });
});

it(`killed ${ROUNDS} times while it publishes and deletes: what was acknowledged is there whole, what was deleted is not`, async () => {
  const there = new Set<string>();
  const gone = new Set<string>();
  const clock = createManualClock(Date.now());
  for (let round = 0; round < ROUNDS; round += 1) {
    const child = startChild(script, [folder, String(round)]);
    await child.said(12);
    await new Promise((resolve) => setTimeout(resolve, (round * 29) % 60));
    await child.kill();
    for (const line of child.lines().slice(1)) {
      const version = line.slice(1);
      if (line.startsWith('+')) there.add(version);
      // Between these two lines it may be there or not.
      else there.delete(version);
      if (line.startsWith('-')) gone.add(version);
    }

    const storage = await openSqliteStorage({ file: join(folder, 'db') });
    const blobs = await openFileBlobStore({ folder: join(folder, 'blobs') });
    const catalogue = createHostedCatalogue({ storage, blobs, clock, scratchFolder });
    const made = { catalogue, storage, blobs, clock };
    const versions = await expectSound(made);
    expect(versions).toEqual(expect.arrayContaining([...there]));
    expect(versions.filter((version) => gone.has(version))).toEqual([]);
    const sizes = readdirSync(scratchFolder).map((name) => statSync(join(scratchFolder, name)).size);
    expect(sizes.filter((size) => size > 0)).toEqual([]);

    // Once a sweep has been through, only what versions need is kept.
    for (let count = 0; count < 2; count += 1) {
      clock.set(Math.max(clock.now(), Date.now()) + 2 * 60 * 60 * 1000);
      await catalogue.sweepUnreferenced();
    }
    const digests = new Set<string>();
    for (const version of await expectSound(made)) {
      digests.add((await catalogue.details({ ...NETWORK, version }))?.archive.digest ?? '');
    }
    expect((await blobs.list({ limit: 1000 })).digests).toEqual([...digests].sort());
    expect(readdirSync(scratchFolder)).toEqual([]);
    await storage.close();
  }
  expect(there.size).toBeGreaterThan(ROUNDS);
  expect(gone.size).toBeGreaterThan(ROUNDS);
}, 90_000);
