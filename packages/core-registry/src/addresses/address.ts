/**
 * Which texts address a module and its versions (REG-11: `<namespace>/<name>/<provider>/<version>`). Anything else is no
 * address: it is answered like one that is not there, and never becomes part of a storage key.
 */
import type { ModuleAddress, ModuleVersionAddress } from '@postern/ports';
import type { SemVer } from 'semver';
import parseSemVer from 'semver/functions/parse.js';

/** What stock clients send: letters and digits, `-` and `_` between them, at most 64. */
const PART = /^[0-9A-Za-z](?:[0-9A-Za-z_-]{0,62}[0-9A-Za-z])?$/;

/** A host name with an optional port, as in `registry.acme.example:8443/acme/network/aws`. */
const HOST = /^[0-9a-z](?:[0-9a-z-]{0,61}[0-9a-z])?(?:\.[0-9a-z](?:[0-9a-z-]{0,61}[0-9a-z])?)+(?::\d{1,5})?$/i;

/** Characters of a module's text in a replacement: a host name has at most 253. */
const MAX_MODULE_TEXT = 512;

/** Whether a text may be a namespace, a module's name or a provider. Also false for a value that is not a string. */
export function isAddressPart(part: unknown): part is string {
  return typeof part === 'string' && PART.test(part);
}

export function isModuleAddress({ namespace, name, provider }: ModuleAddress): boolean {
  return isAddressPart(namespace) && isAddressPart(name) && isAddressPart(provider);
}

export function isVersionAddress(address: ModuleVersionAddress): boolean {
  return isModuleAddress(address) && parseVersion(address.version) !== undefined;
}

/** `acme/network/aws`. */
export function moduleText({ namespace, name, provider }: ModuleAddress): string {
  return `${namespace}/${name}/${provider}`;
}

/** `acme/network/aws/1.0.0`: the id of a module version (REG-11). */
export function versionId(address: ModuleVersionAddress): string {
  return `${moduleText(address)}/${address.version}`;
}

/** Whether a text names a module, with or without the host of its registry. */
export function isModuleText(text: string): boolean {
  if (text.length > MAX_MODULE_TEXT) return false;
  const parts = text.split('/');
  const [host, address] = parts.length === 4 ? [parts[0], parts.slice(1)] : [undefined, parts];
  return address.length === 3 && address.every(isAddressPart) && (host === undefined || HOST.test(host));
}

/** Only the members of a version's address, frozen: what a caller passed in may hold more, and change. */
export function versionAddress({ namespace, name, provider }: ModuleAddress, version: string): ModuleVersionAddress {
  return Object.freeze({ namespace, name, provider, version });
}

/** Semantic versions: which texts are some, and their order (semver 2.0; build metadata last, so that the order is total). */
const MAX_VERSION_CHARACTERS = 128;

/** A version without a leading `v` or white space; undefined for any other value. */
export function parseVersion(text: unknown): SemVer | undefined {
  if (typeof text !== 'string' || text.length > MAX_VERSION_CHARACTERS) return undefined;
  const parsed = parseSemVer(text);
  if (parsed === null) return undefined;
  // The reader also takes "v1.0.0" and " 1.0.0": two spellings would be two keys of one version.
  const canonical = parsed.build.length === 0 ? parsed.version : `${parsed.version}+${parsed.build.join('.')}`;
  return canonical === text ? parsed : undefined;
}

/** Below zero where `left` is older. */
export function compareVersions(left: SemVer, right: SemVer): number {
  return left.compare(right) || left.compareBuild(right);
}

export function isPrerelease(version: SemVer): boolean {
  return version.prerelease.length > 0;
}
