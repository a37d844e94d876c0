/** What a module and its version may be called: the naming rule of the module registry protocol, and semantic versions. */
import { type ModuleAddress, ModuleArchiveError, type ModuleVersionAddress } from '@postern/ports';
import { printable } from '../archive/refuse.js';

/** Letters, digits, `-` and `_`, 1 to 64, with a letter or digit at both ends. */
const NAME = /^[0-9A-Za-z](?:[0-9A-Za-z_-]{0,62}[0-9A-Za-z])?$/;

/** Lower-case letters and digits. */
const PROVIDER = /^[0-9a-z]{1,64}$/;

/** semver.org, version 2.0.0: no leading `v`, no leading zeros. */
const VERSION =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;
const MAX_VERSION_CHARACTERS = 128;

export const isNamespace = (text: string): boolean => NAME.test(text);

/** Whether there can be a module of this address. */
export function isModuleAddress(address: ModuleAddress): boolean {
  return NAME.test(address.namespace) && NAME.test(address.name) && PROVIDER.test(address.provider);
}

/** Whether there can be a version of this address. */
export function isVersionAddress(address: ModuleVersionAddress): boolean {
  return isModuleAddress(address) && isVersion(address.version);
}

const isVersion = (text: string): boolean => text.length <= MAX_VERSION_CHARACTERS && VERSION.test(text);

/** @throws ModuleArchiveError `address_invalid`, `version_invalid`, with what to change. */
export function checkVersionAddress(address: ModuleVersionAddress): void {
  for (const part of ['namespace', 'name'] as const) {
    if (NAME.test(address[part])) continue;
    const rule = 'has 1 to 64 letters, digits, "-" and "_", and begins and ends with a letter or digit';
    throw new ModuleArchiveError('address_invalid', `the module's ${part} ${rule}: not "${printable(address[part])}"`);
  }
  if (!PROVIDER.test(address.provider)) {
    const message = `the module's provider has 1 to 64 lower-case letters and digits: not "${printable(address.provider)}"`;
    throw new ModuleArchiveError('address_invalid', message);
  }
  if (isVersion(address.version)) return;
  const bare = address.version.replace(/^[vV]/, '');
  const hint = isVersion(bare) ? `leave the "v" out: ${bare}` : 'write it as MAJOR.MINOR.PATCH, for example 1.4.0';
  throw new ModuleArchiveError('version_invalid', `"${printable(address.version)}" is not a semantic version: ${hint}`);
}
