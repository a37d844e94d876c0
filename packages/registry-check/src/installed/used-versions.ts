/** From module calls to the questions for registries: each version of a module once, with everyone who calls it. */
import type { InstalledModule } from './installed-module.js';
import { parseRegistrySource, type RegistryModule } from './registry-source.js';

/** Distinct versions that one check asks about. */
export const MAX_USED_VERSIONS = 2000;

export interface RegistryVersion {
  readonly module: RegistryModule;
  readonly version: string;
  /** `module.net.module.subnets`, in the order of the manifest. */
  readonly callers: readonly string[];
}

export interface InstalledUse {
  readonly versions: readonly RegistryVersion[];
  /** Have a version, as registry modules do, but a source that is not a registry address. */
  readonly unrecognised: readonly InstalledModule[];
  /** Calls of modules that are of no registry: local, git, archives. */
  readonly others: number;
}

export function usedVersions(installed: readonly InstalledModule[]): InstalledUse {
  const found = new Map<string, RegistryVersion & { readonly callers: string[] }>();
  const unrecognised: InstalledModule[] = [];
  let others = 0;
  for (const call of installed) {
    // The root module is listed too: it has no source.
    if (call.key === '' && call.source === '') continue;
    if (call.version === undefined) {
      others += 1;
      continue;
    }
    const module = parseRegistrySource(call.source);
    if (module === undefined) {
      unrecognised.push(call);
      continue;
    }
    const { host, namespace, name, provider } = module;
    const id = JSON.stringify([host, namespace, name, provider, call.version]);
    const version = found.get(id) ?? { module, version: call.version, callers: [] };
    version.callers.push(callerText(call.key));
    found.set(id, version);
  }
  return { versions: [...found.values()], unrecognised, others };
}

/** `net.subnets` as the client itself writes it: `module.net.module.subnets`. */
export function callerText(key: string): string {
  return key
    .split('.')
    .map((name) => `module.${name}`)
    .join('.');
}
