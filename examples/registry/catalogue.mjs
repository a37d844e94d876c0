/** Modules of your own: here a map, in your service whatever knows which versions there are and has their archives. */
import { createHash } from 'node:crypto';
import { createModuleArchive } from '@postern/testkit';

/** @typedef {import('@postern/ports').ModuleAddress} ModuleAddress */
/** @typedef {import('@postern/ports').ModuleVersionAddress} ModuleVersionAddress */

const publishedAt = Date.UTC(2026, 10, 1);
/** What a folder declares: a real catalogue reads it from the configuration. */
const root = {
  ...{ path: '', name: 'network', readme: '# Network\n', empty: false },
  ...{ inputs: [], outputs: [], dependencies: [], providerDependencies: [], resources: [] },
};
const module = { namespace: 'acme', name: 'network', provider: 'aws' };
const versions = ['1.0.0', '1.1.0', '2.0.0'];

/** @param {ModuleVersionAddress} of */
const archiveOf = ({ version }) => {
  const bytes = createModuleArchive({ 'main.tf': `# Network ${version}\n` });
  const digest = createHash('sha256').update(bytes).digest('hex');
  return { bytes, facts: { format: /** @type {const} */ ('tar.gz'), sizeBytes: bytes.length, digest } };
};
/** @param {ModuleAddress} of */
const isOurs = (of) => of.namespace === module.namespace && of.name === module.name && of.provider === module.provider;
/** @param {ModuleVersionAddress} of */
const has = (of) => isOurs(of) && versions.includes(of.version);

/** @type {import('@postern/ports').ModuleCatalogue} */
export const catalogue = {
  listModules: async ({ namespace }) => ({ modules: namespace === 'acme' ? [module] : [], next: undefined }),
  versions: async (of) =>
    (isOurs(of) ? versions : []).map((version) => ({ version, publishedAt, root, submodules: [] })),
  hasVersion: async (of) => has(of),
  async details(of) {
    if (!has(of)) return undefined;
    const about = { owner: 'network-team', description: 'Networks', source: '', publishedAt };
    return { ...about, address: of, archive: archiveOf(of).facts, root, submodules: [], examples: [] };
  },
  async archive(of) {
    if (!has(of)) return undefined;
    const { bytes, facts } = archiveOf(of);
    return {
      ...facts,
      content: (async function* () {
        yield bytes;
      })(),
    };
  },
};
