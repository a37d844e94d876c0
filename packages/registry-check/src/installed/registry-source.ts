/**
 * Which sources are addresses of a registry: `[HOST/]NAMESPACE/NAME/PROVIDER[//SUBMODULE]` (CHECK-1). Hosts are
 * compared as clients compare them: lower case, Punycode, without the usual port.
 */
import { isModuleAddress, moduleText } from '@postern/core-registry/notices';
import type { ModuleAddress } from '@postern/ports';

/** The registry of sources that name none. */
export const DEFAULT_HOST = 'registry.terraform.io';

/** Public registries: they have no deprecations in this format, and private networks often cannot reach them. */
export const PUBLIC_HOSTS: ReadonlySet<string> = new Set([DEFAULT_HOST, 'registry.opentofu.org']);

export interface RegistryModule extends ModuleAddress {
  /** `registry.acme.example`, `127.0.0.1:8443`. */
  readonly host: string;
}

/** Undefined for a source that is something else. The submodule is left out: versions are of the whole. */
export function parseRegistrySource(source: string): RegistryModule | undefined {
  const [whole = ''] = source.split('//', 1);
  const parts = whole.split('/');
  const host = parts.length === 4 ? parseHost(parts[0] ?? '') : parts.length === 3 ? DEFAULT_HOST : undefined;
  const [namespace = '', name = '', provider = ''] = parts.slice(-3);
  const address = { namespace, name, provider };
  return host === undefined || !isModuleAddress(address) ? undefined : { host, ...address };
}

/** A host as it is compared, with its port unless that is 443; undefined for an invalid host. */
export function parseHost(text: string): string | undefined {
  if (text.length > 260 || !/^[\p{L}\p{N}][^\s/\\?#@:[\]]*(?::\d{1,5})?$/u.test(text)) return undefined;
  try {
    const { host, pathname, username } = new URL(`https://${text}`);
    return host === '' || pathname !== '/' || username !== '' ? undefined : host;
  } catch {
    return undefined;
  }
}

/** `registry.acme.example/acme/network/aws`. */
export function sourceText(module: RegistryModule): string {
  return `${module.host}/${moduleText(module)}`;
}
