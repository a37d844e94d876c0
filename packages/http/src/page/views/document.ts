/**
 * What every page has: the addresses that it links to (PAGE-2), each part escaped for a path; head, who is signed in, the
 * breadcrumb, and the one heading of first rank.
 */
import { moduleText, type RegistryCall, type RegistrySession } from '@postern/core-registry';
import type { EpochMillis, ModuleAddress, ModuleVersionAddress, ModuleVersionState } from '@postern/ports';
import { type Html, html } from '../html.js';
import type { Session } from '../session/session-cookie.js';
import { ICON, STYLE } from './style.js';

export interface Crumb {
  readonly text: string;
  readonly path: string;
}

export interface Page {
  /** Of the window. */
  readonly title: string;
  /** From the registry down to the page's parent. */
  readonly crumbs?: readonly Crumb[];
  /** The page itself, as the last crumb. */
  readonly here?: string;
  /** With its one `h1`. */
  readonly body: Html;
  /** A column for reading and typing, instead of the whole width. */
  readonly narrow?: boolean;
}

export function document(visit: Pick<Visit, 'site' | 'session'>, page: Page): Html {
  const { site, session } = visit;
  const width = page.narrow === true ? 'frame narrow' : 'frame';
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${page.title} · ${site.title}</title>
<link rel="stylesheet" href="${site.stylePath}">
<link rel="icon" type="image/svg+xml" href="${site.iconPath}">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top"><div class="frame">
<a class="home" href="${site.path}"><img src="${site.iconPath}" alt="" width="26" height="26">${site.title}</a>
${
  session !== undefined &&
  html`<form class="who" method="post" action="${site.signOutPath}">
<span>Signed in as <strong>${session.caller}</strong></span>
<input type="hidden" name="form_secret" value="${session.formSecret}">
<button class="text">Sign out</button></form>`
}
</div></header>
<div class="${width}">
${crumbs(page)}
<main id="content" tabindex="-1">${page.body}</main>
</div>
<footer><div class="frame">Postern module registry. All times in UTC.</div></footer>
</body>
</html>
`;
}

function crumbs({ crumbs: above = [], here }: Page): Html | false {
  if (above.length === 0) return false;
  return html`<nav class="crumbs" aria-label="Breadcrumb"><ol>
${above.map(({ text, path }) => html`<li><a href="${path}">${text}</a></li>`)}
${here !== undefined && html`<li aria-current="page">${here}</li>`}</ol></nav>`;
}

/** Down to the module itself. */
export function moduleCrumbs(site: Site, module: ModuleAddress): readonly Crumb[] {
  return [
    { text: 'Registry', path: site.path },
    { text: module.namespace, path: site.organizationPath(module.namespace) },
    { text: module.name, path: site.namePath(module) },
    { text: module.provider, path: site.modulePath(module) },
  ];
}

/** The state of a version, in a word and a colour. */
const LABELS: Readonly<Record<ModuleVersionState, string>> = {
  active: 'Active',
  deprecated: 'Deprecated',
  revoked: 'Revoked',
};

export function stateBadge(state: ModuleVersionState): Html {
  return html`<span class="badge ${state}">${LABELS[state]}</span>`;
}

/** Of a module in a list: of its other versions nothing is said. Nothing where the latest is active. */
export function latestBadge(state: ModuleVersionState): Html | false {
  return state !== 'active' && html`<span class="badge ${state}">Latest ${LABELS[state].toLowerCase()}</span>`;
}

/**
 * @param host of the registry, as clients know it. It may come from a request's header, so only what a host name holds
 *   gets into the configuration.
 */
export function sourceText(host: string, address: ModuleVersionAddress): string {
  const registry = host.replace(/[^\w.:[\]-]/g, '');
  // A block's label is an identifier, which begins with no digit.
  const label = /^\d/.test(address.name) ? `module_${address.name}` : address.name;
  return `module "${label}" {
  source  = "${registry}/${moduleText(address)}"
  version = "${address.version}"
}`;
}

export function sourceBlock(host: string, address: ModuleVersionAddress): Html {
  return html`<pre class="copy" tabindex="0" role="group" aria-label="Configuration to copy"><code>${sourceText(host, address)}</code></pre>`;
}

/** Links to the pages before and after. */
export interface PageLinks {
  readonly previous?: string | undefined;
  readonly next?: string | undefined;
  /** `1 to 100 of 240` */
  readonly text?: string | undefined;
  /** What is paged, for those who hear the page: `Versions`. */
  readonly label: string;
}

export function pageLinks({ previous, next, text, label }: PageLinks): Html | false {
  if (previous === undefined && next === undefined) return false;
  return html`<nav class="pages small" aria-label="${label}">
${previous !== undefined && html`<a href="${previous}" rel="prev">Previous</a>`}
${text !== undefined && html`<span class="muted">${text}</span>`}
${next !== undefined && html`<a href="${next}" rel="next">Next</a>`}</nav>`;
}

/** A path with those parameters that are given. */
export function withQuery(path: string, parameters: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** A whole number from 0 to `most`; 0 for anything else. */
export function wholeNumber(text: string | null, most: number): number {
  return text !== null && /^\d{1,9}$/.test(text) ? Math.min(Number(text), most) : 0;
}

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
