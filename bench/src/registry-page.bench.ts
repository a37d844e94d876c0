/**
 * The page of a module with 1,000 versions, every third deprecated, against that of one with 100: both show 100 rows, so
 * the time of a page must not follow the number of versions (PAGE-10). And the page of a version with a README.
 *
 * `--quick`: fewer rounds. Exit code 1 when the ratio is above 2.
 */
import { createRegistry } from '@postern/core-registry';
import { createNodeCrypto } from '@postern/crypto-node';
import { createRegistryPage } from '@postern/http';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFixedRegistryAuthorizer, createMemoryCatalogue } from '@postern/testkit';
import { median, report } from './figures.js';

const MANY = 1000;
const FEW = 100;
const GREATEST_RATIO = 2;
const ROUNDS = process.argv.includes('--quick') ? 5 : 15;
const PAGES_PER_ROUND = 20;
const TOKEN = 'bench-token';

const README =
  '# Module\n\nText with `code`, *stress* and [a link](https://wiki.acme.example/).\n\n- one\n- two\n\n'.repeat(100);

const crypto = createNodeCrypto();
const catalogue = createMemoryCatalogue();
const registry = createRegistry({
  storage: createMemoryStorage(),
  clock: { now: () => Date.now() },
  catalogue,
  authorizer: createFixedRegistryAuthorizer([{ token: TOKEN, name: 'bench', manage: ['acme'] }]),
  audit: { record: () => undefined },
});
const page = createRegistryPage({ registry, crypto, peerAddress: () => undefined });

async function fill(name: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const address = { namespace: 'acme', name, provider: 'aws', version: `1.${at}.0` };
    const root = { path: '', name, readme: README, empty: false, inputs: [], outputs: [], resources: [] };
    catalogue.add({ address, root: { ...root, dependencies: [], providerDependencies: [] } });
    if (at % 3 !== 0) continue;
    const call = { token: TOKEN, requestId: 'bench' };
    await registry.open(call).deprecate(address, { reason: 'Security groups were open by default.' });
  }
}

/** CPU milliseconds of one page, from request to the last byte. */
async function measure(path: string): Promise<{ readonly cpuMs: number; readonly bytes: number }> {
  let bytes = 0;
  const before = process.cpuUsage();
  for (let count = 0; count < PAGES_PER_ROUND; count += 1) {
    const request = new Request(`http://registry.acme.example${path}`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const response = await page.fetch(request, undefined);
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
    bytes = (await response.arrayBuffer()).byteLength;
  }
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1000 / PAGES_PER_ROUND, bytes };
}

await fill('many', MANY);
await fill('few', FEW);

const PAGES = [
  ['module with 1,000 versions', '/registry/acme/many/aws'],
  ['module with 100 versions', '/registry/acme/few/aws'],
  ['version with a README of 9 KB', '/registry/acme/many/aws/1.1.0'],
  ['list of modules', '/registry'],
] as const;
const samples = new Map<string, number[]>(PAGES.map(([name]) => [name, []]));
const sizes = new Map<string, number>();
for (let round = -1; round < ROUNDS; round += 1) {
  for (const [name, path] of PAGES) {
    const { cpuMs, bytes } = await measure(path);
    // The first round warms up.
    if (round >= 0) samples.get(name)?.push(cpuMs);
    sizes.set(name, bytes);
  }
}
for (const [name, values] of samples) {
  const size = ((sizes.get(name) ?? 0) / 1024).toFixed(0);
  console.log(`${name}: ${median(values).toFixed(2)} ms of CPU a page (median of ${ROUNDS}), ${size} KiB`);
}
const few = samples.get(PAGES[1][0]) ?? [];
const ratios = (samples.get(PAGES[0][0]) ?? []).map((many, round) => many / (few[round] ?? Number.NaN));
report({ name: 'page of 1,000 versions / of 100', ratios, better: 'lower', limit: GREATEST_RATIO });
