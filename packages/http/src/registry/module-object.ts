/** A module version as the registry protocol shows it (MODULE-3). */
import { formatInstant, type ModuleListing, type ModuleVersionView, type VersionList } from '@postern/core-registry';
import type { ModuleContents, ModuleVersionAddress } from '@postern/ports';
import { deprecationMember, type JsonObject, snakeMembers } from './representation.js';

export function versionIdOf({ namespace, name, provider, version }: ModuleVersionAddress): string {
  return `${namespace}/${name}/${provider}/${version}`;
}

/** As lists, searches and latest versions show it. */
export function moduleSummary({ status, details }: ModuleListing): JsonObject {
  const { address, owner, description, source, publishedAt } = details;
  const { namespace, name, provider, version } = address;
  return {
    id: versionIdOf(address),
    owner,
    namespace,
    name,
    version,
    provider,
    description,
    source,
    published_at: formatInstant(publishedAt),
    deprecation: deprecationMember(status),
    ...snakeMembers(status),
  };
}

/** With what it declares, and with the versions that there are, newest first. */
export function moduleDetail(view: ModuleVersionView, { versions }: Pick<VersionList, 'versions'>): JsonObject {
  const { root, submodules, examples } = view.details;
  return {
    ...moduleSummary(view),
    root: contents(root),
    submodules: submodules.map(contents),
    examples: examples.map(contents),
    versions: versions.map(({ summary }) => summary.version),
  };
}

function contents(folder: ModuleContents): JsonObject {
  const { path, name, readme, empty, inputs, outputs, dependencies, providerDependencies, resources } = folder;
  return {
    path,
    name,
    readme,
    empty,
    inputs: inputs.map((input) => ({ ...input, default: input.default ?? null })),
    outputs,
    dependencies,
    provider_dependencies: providerDependencies,
    resources,
  };
}
