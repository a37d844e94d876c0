/**
 * Lists and searches of a registry on disk. The index of 50 modules with 236 inputs and a long README each, against that of 50 with one
 * input: a list must not read what modules contain (MODULE-10). And a search in all of them, against that list.
 *
 * `--quick`: fewer rounds. Exit code 1 when a ratio is above its limit.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHostedCatalogue } from '@postern/catalogue';
import { createRegistry } from '@postern/core-registry';
import { createRegistryApp, createUrlSigner } from '@postern/http';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { createFixedRegistryAuthorizer, createMemoryBlobStore, createModuleArchive } from '@postern/testkit';
import { median, report } from './figures.js';

const TOKEN = 'bench-token';
const MODULES = 50;
const LISTS_PER_ROUND = 20;
const ROUNDS = process.argv.includes('--quick') ? 5 : 15;

const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'));
const storage = await openSqliteStorage({ file: join(folder, 'registry.db') });
const clock = { now: () => Date.now() };
const catalogue = createHostedCatalogue({ storage, blobs: createMemoryBlobStore(), clock });
const registry = createRegistry({
  storage,
  clock,
  catalogue,
  authorizer: createFixedRegistryAuthorizer([{ token: TOKEN, name: 'bench', manage: ['large', 'small'] }]),
  audit: { record: () => undefined },
});
const app = createRegistryApp({
  registry,
  urlSigner: createUrlSigner([randomBytes(32)]),
  peerAddress: () => undefined,
});

const inputs = (count: number, of: string) =>
  Array.from(
    { length: count },
    (_, at) =>
      `variable "${of}_input_${at}" {\n  type = map(string)\n  description = "What ${of} does with ${at}."\n}\n`,
  ).join('');
const readme = (of: string) =>
  Array.from(
    { length: 900 },
    (_, at) => `| ${of}_resource_${at} | Network of the ${of} with part${at} | \`string\` |`,
  ).join('\n');

async function fill(namespace: string, filesOf: (name: string) => Record<string, string>): Promise<void> {
  for (let at = 0; at < MODULES; at += 1) {
    const name = `module${at}`;
    const archive = createModuleArchive(filesOf(name));
    const content = (async function* () {
      yield archive;
    })();
    const version = { namespace, name, provider: 'aws', version: '1.0.0' };
    await catalogue.publish({ version, owner: 'bench', description: `About ${name}`, content });
  }
}
await fill('large', (name) => ({ 'main.tf': inputs(236, name), 'README.md': readme(name) }));
await fill('small', (name) => ({ 'main.tf': inputs(1, name), 'README.md': `# ${name}\n` }));

/** CPU milliseconds of one answer. */
async function measure(path: string): Promise<number> {
  const before = process.cpuUsage();
  for (let count = 0; count < LISTS_PER_ROUND; count += 1) {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const response = await app.fetch(new Request(`http://registry.acme.example${path}`, { headers }), undefined);
    if (response.status !== 200) throw new Error(`${path}: status ${response.status}`);
    const { modules } = (await response.json()) as { modules: readonly unknown[] };
    if (modules.length === 0) throw new Error(`${path}: nothing found`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / LISTS_PER_ROUND;
}

const LIST = '/api/registry/v1/modules';
const PATHS = {
  large: `${LIST}/large?limit=${MODULES}`,
  small: `${LIST}/small?limit=${MODULES}`,
  search: `${LIST}/search?q=network%20part8&limit=${MODULES}`,
};
type Side = keyof typeof PATHS;
// The first search reads every module.
await measure(PATHS.search);
const samples: Record<Side, number[]> = { large: [], small: [], search: [] };
for (let round = 0; round < ROUNDS; round += 1) {
  for (const side of ['large', 'small', 'search'] as const) samples[side].push(await measure(PATHS[side]));
}
for (const side of ['large', 'small', 'search'] as const) {
  console.log(`${PATHS[side]}: ${median(samples[side]).toFixed(2)} ms of CPU (median of ${ROUNDS})`);
}
const against = (side: Side) => samples[side].map((cost, round) => cost / (samples.small[round] ?? Number.NaN));
report({ name: 'list of 50 large modules / of small ones', ratios: against('large'), better: 'lower', limit: 1.5 });
report({ name: 'search in READMEs / list of 50 modules', ratios: against('search'), better: 'lower', limit: 3 });
await storage.close();
rmSync(folder, { recursive: true });
