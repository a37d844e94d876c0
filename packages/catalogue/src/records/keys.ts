/**
 * Keys of the catalogue's records. `!` stands between the parts of an address: it is in none of them and sorts before all
 * their characters, so that byte order is the order of names (`a!aws` before `a-b!aws`).
 */
import type { ModuleAddress, ModuleVersionAddress } from '@postern/ports';

export interface CatalogueKeys {
  /** One a module: which versions it has changed whenever this did. */
  module(address: ModuleAddress): string;
  /** Before every module. */
  readonly modules: string;
  /** Before every module of a namespace. */
  modulesOf(namespace: string): string;
  /** One a version: it is there when this is. */
  version(address: ModuleVersionAddress): string;
  /** One a version, for lists. */
  summary(address: ModuleVersionAddress): string;
  summariesOf(address: ModuleAddress): string;
  /** What the archive of a digest holds, in parts. */
  part(address: ModuleVersionAddress, digest: string, index: number): string;
  /** One a blob: how many versions have it. */
  blob(digest: string): string;
  readonly blobs: string;
}

export function catalogueKeys(prefix: string): CatalogueKeys {
  const ofModule = ({ namespace, name, provider }: ModuleAddress) => `${namespace}!${name}!${provider}`;
  const ofVersion = (address: ModuleVersionAddress) => `${ofModule(address)}!${address.version}`;
  return {
    module: (address) => `${prefix}module/${ofModule(address)}`,
    modules: `${prefix}module/`,
    modulesOf: (namespace) => `${prefix}module/${namespace}!`,
    version: (address) => `${prefix}version/${ofVersion(address)}`,
    summary: (address) => `${prefix}summary/${ofVersion(address)}`,
    summariesOf: (address) => `${prefix}summary/${ofModule(address)}!`,
    part: (address, digest, index) => `${prefix}part/${ofVersion(address)}!${digest}!${String(index).padStart(3, '0')}`,
    blob: (digest) => `${prefix}blob/${digest}`,
    blobs: `${prefix}blob/`,
  };
}
