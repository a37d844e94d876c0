/**
 * Which texts address a module and its versions (REG-11: `<namespace>/<name>/<provider>/<version>`). Anything else is no
 * address: it is answered like one that is not there, and never becomes part of a storage key.
 */
import type { ModuleAddress, ModuleVersionAddress } from '@postern/ports';
import { parseVersion } from '../versions/version.js';

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
