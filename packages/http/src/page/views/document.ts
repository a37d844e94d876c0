/** What every page has: head, who is signed in, where one is, and the one heading of first rank. */
import { moduleText } from '@postern/core-registry';
import type { ModuleAddress, ModuleVersionAddress, ModuleVersionState } from '@postern/ports';
import { type Html, html } from '../html.js';
import type { Site, Visit } from '../site.js';

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
