/** A `ModuleCatalogue` in memory: for tests, sandboxes and embedders whose modules come from a list. */
import { createHash } from 'node:crypto';
import {
  type CallOptions,
  compareUtf8,
  type ModuleAddress,
  type ModuleCatalogue,
  type ModuleContents,
  type ModuleVersionAddress,
  type ModuleVersionDetails,
  type ModuleVersionSummary,
  ProviderError,
} from '@postern/ports';

/** What a version is made of; what is left out is empty. */
export interface MemoryModuleVersion extends Partial<Omit<ModuleVersionDetails, 'address' | 'archive'>> {
  readonly address: ModuleVersionAddress;
  readonly format?: 'tar.gz' | 'zip' | undefined;
  /** Bytes of the archive. */
  readonly content?: Uint8Array | undefined;
}

export type CatalogueMethod = keyof ModuleCatalogue;

/** The catalogue, and the test's hand on it. */
export interface MemoryCatalogue extends ModuleCatalogue {
  /** Adds a version, or puts another in its place. */
  add(version: MemoryModuleVersion): ModuleVersionDetails;
  /** False where there was none. */
  remove(version: ModuleVersionAddress): boolean;
  /** The next call of any method rejects with `ProviderError` `unavailable`. Called twice, the next two do. */
  failNext(): void;
  /** Names of the methods called, in order. */
  calls(): readonly CatalogueMethod[];
}

interface Kept {
  readonly details: ModuleVersionDetails;
  readonly content: Uint8Array;
}

const EMPTY_CONTENTS: ModuleContents = {
  path: '',
  name: '',
  readme: '',
  empty: true,
  inputs: [],
  outputs: [],
  dependencies: [],
  providerDependencies: [],
  resources: [],
};

/**
 * Creates a catalogue of some versions.
 *
 * @example
 * ```ts
 * const address = { namespace: 'acme', name: 'network', provider: 'aws', version: '1.0.0' };
 * const catalogue = createMemoryCatalogue([{ address }]);
 * ```
 */
export function createMemoryCatalogue(versions: readonly MemoryModuleVersion[] = []): MemoryCatalogue {
  /** Versions by module, in the order in which they were added. */
  const modules = new Map<string, Map<string, Kept>>();
  /** Made anew when a module changes: the same array means the same versions. */
  const summaries = new Map<string, readonly ModuleVersionSummary[]>();
  const called: CatalogueMethod[] = [];
  let failures = 0;

  function enter(method: CatalogueMethod, options: CallOptions | undefined): void {
    called.push(method);
    options?.signal?.throwIfAborted();
    if (failures === 0) return;
    failures -= 1;
    throw new ProviderError('unavailable', 'injected: the catalogue gave no answer');
  }

  const find = (version: ModuleVersionAddress) => modules.get(moduleKey(version))?.get(version.version);

  const catalogue: MemoryCatalogue = {
    add(version) {
      const key = moduleKey(version.address);
      const kept = keep(version);
      const module = modules.get(key) ?? new Map<string, Kept>();
      module.set(version.address.version, kept);
      modules.set(key, module);
      summaries.delete(key);
      return kept.details;
    },
    remove(version) {
      const key = moduleKey(version);
      summaries.delete(key);
      const module = modules.get(key);
      const removed = module?.delete(version.version) ?? false;
      if (module?.size === 0) modules.delete(key);
      return removed;
    },
    failNext() {
      failures += 1;
    },
    calls: () => [...called],
    async listModules({ namespace, after, limit }, options) {
      enter('listModules', options);
      const keys = [...modules.keys()]
        .filter((key) => key.startsWith(`${namespace}/`) && (after === undefined || compareKeys(key, after) > 0))
        .sort(compareKeys);
      const page = keys.slice(0, limit);
      return { modules: page.map(addressOf), next: keys.length > limit ? page.at(-1) : undefined };
    },
    async versions(module, options) {
      enter('versions', options);
      const key = moduleKey(module);
      const known = summaries.get(key);
      if (known !== undefined) return known;
      const made = Object.freeze([...(modules.get(key)?.values() ?? [])].map(({ details }) => summaryOf(details)));
      summaries.set(key, made);
      return made;
    },
    async hasVersion(version, options) {
      enter('hasVersion', options);
      return find(version) !== undefined;
    },
    async details(version, options) {
      enter('details', options);
      return find(version)?.details;
    },
    async archive(version, options) {
      enter('archive', options);
      const kept = find(version);
      return kept === undefined ? undefined : { ...kept.details.archive, content: once(kept.content) };
    },
  };
  for (const version of versions) catalogue.add(version);
  return catalogue;
}

function keep({ format = 'tar.gz', content = new Uint8Array(), ...given }: MemoryModuleVersion): Kept {
  const bytes = Uint8Array.from(content);
  const digest = createHash('sha256').update(bytes).digest('hex');
  const details: ModuleVersionDetails = {
    owner: '',
    description: '',
    source: '',
    publishedAt: 0,
    root: EMPTY_CONTENTS,
    submodules: [],
    examples: [],
    ...given,
    archive: { format, sizeBytes: bytes.length, digest },
  };
  return { details, content: bytes };
}

function summaryOf({ address, publishedAt, root, submodules }: ModuleVersionDetails): ModuleVersionSummary {
  const { dependencies, providerDependencies } = root;
  return {
    version: address.version,
    publishedAt,
    root: { dependencies, providerDependencies },
    submodules: submodules.map((each) => ({
      path: each.path,
      dependencies: each.dependencies,
      providerDependencies: each.providerDependencies,
    })),
  };
}

async function* once(content: Uint8Array): AsyncIterable<Uint8Array> {
  yield content;
}

function moduleKey({ namespace, name, provider }: ModuleAddress): string {
  return `${namespace}/${name}/${provider}`;
}

function addressOf(key: string): ModuleAddress {
  const [namespace = '', name = '', provider = ''] = key.split('/');
  return { namespace, name, provider };
}

/** Name before provider: `a/aws` before `a-b/aws`, whatever the byte of the slash. */
function compareKeys(left: string, right: string): number {
  const [a, b] = [addressOf(left), addressOf(right)];
  return compareUtf8(a.name, b.name) || compareUtf8(a.provider, b.provider);
}
