/**
 * The answer of `…/versions` (MODULE-2): what every `init` asks for, and large where a module has many versions. Core
 * answers the very same list while nothing changed, so its bytes and their tag are kept; a bound on bytes holds for all
 * modules together.
 */
import type { VersionList, VersionListing } from '@postern/core-registry';
import type { ModuleAddress, ModuleContents } from '@postern/ports';
import { strongEtag } from './exchange.js';
import type { JsonObject } from './json-document.js';
import { deprecationMember, snakeMembers } from './wire-notices.js';

export interface RenderedList {
  readonly body: Uint8Array;
  readonly etag: string;
}

/** A list with its bytes; `list` shows whether they are still current. */
interface Kept extends RenderedList {
  readonly list: VersionList;
}

const MAX_KEPT_BYTES = 32 * 1024 * 1024;

/** @param maxKeptBytes beyond it the module asked for longest ago goes. */
export function createVersionListRenderer(
  maxKeptBytes = MAX_KEPT_BYTES,
): (list: VersionList) => RenderedList | Promise<RenderedList> {
  // In the order of their last use: a Map keeps the order of insertion.
  const kept = new Map<string, Kept>();
  let bytes = 0;

  function forget(key: string): void {
    bytes -= kept.get(key)?.body.byteLength ?? 0;
    kept.delete(key);
  }

  function keep(key: string, rendered: Kept): void {
    forget(key);
    kept.set(key, rendered);
    bytes += rendered.body.byteLength;
    for (const oldest of kept.keys()) {
      if (bytes <= maxKeptBytes) break;
      forget(oldest);
    }
  }

  async function render(key: string, list: VersionList): Promise<RenderedList> {
    const body = new TextEncoder().encode(JSON.stringify(versionListObject(list)));
    const rendered = { list, body, etag: await strongEtag(body) };
    keep(key, rendered);
    return rendered;
  }

  return (list) => {
    const key = sourceOf(list.module);
    const found = kept.get(key);
    if (found?.list !== list) return render(key, list);
    keep(key, found);
    return found;
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
