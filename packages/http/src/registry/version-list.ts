/**
 * The answer of `…/versions` (MODULE-2): what every `init` asks for, and large where a module has many versions. Core
 * answers the very same list while nothing changed, so its bytes and their tag are kept; a bound on bytes holds for all
 * modules together.
 */

import type { VersionList, VersionListing } from '@postern/core-registry';
import type { ModuleAddress, ModuleContents } from '@postern/ports';
import { LRUCache } from 'lru-cache';
import { strongEtag } from './exchange.js';
import { deprecationMember, type JsonObject, snakeMembers } from './representation.js';

export interface RenderedList {
  readonly body: Uint8Array;
  readonly etag: string;
}

/** A list with its bytes; `list` shows whether they are still current. */
interface Kept extends RenderedList {
  readonly list: VersionList;
}

/** @param maxKeptBytes beyond it the module asked for longest ago goes. */
export function createVersionListRenderer(
  maxKeptBytes = 32 * 1024 * 1024,
): (list: VersionList) => RenderedList | Promise<RenderedList> {
  const kept = new LRUCache<string, Kept>({ maxSize: maxKeptBytes, sizeCalculation: ({ body }) => body.byteLength });

  async function render(key: string, list: VersionList): Promise<RenderedList> {
    const body = new TextEncoder().encode(JSON.stringify(versionListObject(list)));
    const rendered = { list, body, etag: await strongEtag(body) };
    kept.set(key, rendered);
    return rendered;
  }

  return (list) => {
    const key = sourceOf(list.module);
    const found = kept.get(key);
    return found?.list === list ? found : render(key, list);
  };
}

export function versionListObject({ module, versions }: VersionList): JsonObject {
  return { modules: [{ source: sourceOf(module), versions: versions.map(listing) }] };
}

function listing({ summary, status }: VersionListing): JsonObject {
  const { version, root, submodules } = summary;
  return {
    version,
    root: requirements(root),
    submodules: submodules.map((each) => ({ path: each.path, ...requirements(each) })),
    deprecation: deprecationMember(status),
    ...snakeMembers(status),
  };
}

type Requirements = Pick<ModuleContents, 'dependencies' | 'providerDependencies'>;

function requirements({ dependencies, providerDependencies }: Requirements): JsonObject {
  return { dependencies, providers: providerDependencies };
}

function sourceOf({ namespace, name, provider }: ModuleAddress): string {
  return `${namespace}/${name}/${provider}`;
}
