/**
 * Storage keys. Everything of an organization lies below one prefix, so that it can be exported or erased whole. Parts of
 * addresses hold no slash, so that no key of one version begins like the keys of another.
 */
import type { ModuleAddress, ModuleVersionAddress } from '@postern/ports';

export interface RegistryKeys {
  /** The status of one version. */
  status(version: ModuleVersionAddress): string;
  /** Below it: the statuses of all versions of a module, and nothing else. */
  statuses(module: ModuleAddress): string;
  /** Put anew with every transition of any version of a module: its version in storage tells whether a list still stands. */
  mark(module: ModuleAddress): string;
  /** One entry of a version's history; in byte order they follow their numbers. */
  history(version: ModuleVersionAddress, seq: number): string;
}

/** Digits of the largest safe integer. */
const SEQ_DIGITS = 16;

export function createKeys(prefix: string): RegistryKeys {
  const below = ({ namespace, name, provider }: ModuleAddress, kind: string) =>
    `${prefix}${namespace}/${kind}/${name}/${provider}`;
  return {
    status: (version) => `${below(version, 'status')}/${version.version}`,
    statuses: (module) => `${below(module, 'status')}/`,
    mark: (module) => below(module, 'mark'),
    history: (version, seq) =>
      `${below(version, 'history')}/${version.version}/${String(seq).padStart(SEQ_DIGITS, '0')}`,
  };
}
