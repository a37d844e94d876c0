/** What must hold of a catalogue at any time: each version is whole, and counted. */
import { createHash } from 'node:crypto';
import compareBuild from 'semver/functions/compare-build.js';
import { expect } from 'vitest';
import { NETWORK, type SetUp } from './set-up.js';

/** Every version of the module NETWORK, each checked to have its details and its archive, byte for byte. */
export async function expectSound({
  catalogue,
  storage,
}: Pick<SetUp, 'catalogue' | 'storage'>): Promise<readonly string[]> {
  const versions = (await catalogue.versions(NETWORK)).map(({ version }) => version);
  for (const version of versions) {
    const address = { ...NETWORK, version };
    expect(await catalogue.hasVersion(address)).toBe(true);
    const details = await catalogue.details(address);
    const hash = createHash('sha256');
    for await (const chunk of (await catalogue.archive(address))?.content ?? []) hash.update(chunk);
    expect(hash.digest('hex')).toBe(details?.archive.digest);
  }
  const listed = await catalogue.listModules({ namespace: 'acme', limit: 10 });
  expect(listed.modules).toHaveLength(versions.length === 0 ? 0 : 1);
  const newest = versions.length === 0 ? undefined : [...versions].sort(compareBuild).at(-1);
  expect(listed.modules[0]?.newest?.address.version).toBe(newest);
  const keys = (await storage.list('catalogue/version/', { limit: 1000 })).items;
  expect(keys).toHaveLength(versions.length);
  return versions;
}

/** Sweeps as an operator's timer does, long after everything. */
export async function sweepLater({ catalogue, clock }: SetUp): Promise<void> {
  for (let count = 0; count < 2; count += 1) {
    clock.advance(2 * 60 * 60 * 1000);
    await catalogue.sweepUnreferenced();
  }
}
