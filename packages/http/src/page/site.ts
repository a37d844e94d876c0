/** The addresses of the page (PAGE-2): every link is made here, with each part escaped for a path. */
import type { RegistryCall, RegistrySession } from '@postern/core-registry';
import type { EpochMillis, ModuleAddress, ModuleVersionAddress } from '@postern/ports';
import type { Session } from './session/session-cookie.js';
import { ICON, STYLE } from './views/style.js';

export interface Site {
  /** Where it hangs: `/registry`. */
  readonly path: string;
  /** Name at the top of every page. */
  readonly title: string;
  readonly stylePath: string;
  readonly iconPath: string;
  readonly signInPath: string;
  readonly signOutPath: string;
  organizationPath(namespace: string): string;
  /** All providers of a name. */
  namePath(module: Pick<ModuleAddress, 'namespace' | 'name'>): string;
  modulePath(module: ModuleAddress): string;
  versionPath(version: ModuleVersionAddress): string;
  actionPath(version: ModuleVersionAddress, action: string): string;
}

export function createSite(path: string, title: string): Site {
  const join = (...parts: readonly string[]): string => [path, ...parts.map(encodeURIComponent)].join('/');
  return {
    path,
    title,
    // No namespace begins with a hyphen: nothing of a catalogue can stand at these.
    stylePath: `${path}/-/style-${fingerprint(STYLE)}.css`,
    iconPath: `${path}/-/icon-${fingerprint(ICON)}.svg`,
    signInPath: `${path}/-/sign-in`,
    signOutPath: `${path}/-/sign-out`,
    organizationPath: (namespace) => join(namespace),
    namePath: ({ namespace, name }) => join(namespace, name),
    modulePath: ({ namespace, name, provider }) => join(namespace, name, provider),
    versionPath: ({ namespace, name, provider, version }) => join(namespace, name, provider, version),
    actionPath: ({ namespace, name, provider, version }, action) => join(namespace, name, provider, version, action),
  };
}

/** FNV-1a, so that an address is kept by caches until its content is another. Protects nothing. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** One request to the page: who looks, from where, and what every view needs to know of it. */
export interface Visit {
  readonly site: Site;
  readonly call: RegistryCall;
  /** The registry, for this request: identifies the caller once. */
  readonly registry: RegistrySession;
  /** Present where the visitor signed in by the form: only then there are forms to change anything. */
  readonly session: Session | undefined;
  /** Of the page, as browsers name it: `https://registry.acme.example`. */
  readonly origin: string;
  /** As it stands in a module's source: `registry.acme.example`. */
  readonly host: string;
  readonly now: EpochMillis;
}
