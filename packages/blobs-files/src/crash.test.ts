import { readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startChild } from '@postern/internal';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleChild } from '../../../scripts/lib/bundle-child.mjs';
import { temporaryFolder } from '../test/temporary-folder.js';
import { openFileBlobStore } from './file-blob-store.js';

const ROUNDS = 6;
const script = fileURLToPath(new URL(`../dist/crash-child-${process.pid}.mjs`, import.meta.url));
const folder = temporaryFolder();

beforeAll(() => bundleChild(new URL('../test/child.ts', import.meta.url), script));
afterAll(() => {
  rmSync(script, { force: true });
  folder.remove();
});

it(`keeps every acknowledged blob whole, and nothing half, over ${ROUNDS} kills of one folder`, async () => {
  const acknowledged: string[] = [];
  let left = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const child = startChild(script, [folder.path('blobs')]);
    await child.said(8);
    await new Promise((resolve) => setTimeout(resolve, 10 + ((round * 37) % 60)));
    await child.kill();
    acknowledged.push(...child.lines().slice(1));
    left += readdirSync(folder.path('blobs', 'incoming')).length;

    const blobs = await openFileBlobStore({ folder: folder.path('blobs') });
    expect(readdirSync(folder.path('blobs', 'incoming'))).toEqual([]);
    const { digests } = await blobs.list({ limit: 1000 });
    expect(digests).toEqual(expect.arrayContaining(acknowledged));
    for (const digest of digests) {
      let sizeBytes = 0;
      for await (const chunk of (await blobs.open(digest))?.content ?? []) sizeBytes += chunk.length;
      expect(sizeBytes).toBe(80_000);
    }
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(ROUNDS * 7);
  // The kills did strike while files were being written: else the sweep was not tried.
  expect(left).toBeGreaterThan(0);
}, 60_000);
