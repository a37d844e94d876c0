/** `/registry` and `/registry/:org`: modules that the visitor may read, by organization, with a search. */
import type { ModuleList, ModuleListing } from '@postern/core-registry';
import { dayTime, excerpt, type Html, html } from '../html.js';
import { document, latestBadge, pageLinks, type Visit, withQuery } from './document.js';

const MAX_DESCRIPTION_CHARACTERS = 200;

export interface ListPage {
  readonly list: ModuleList;
  /** As typed. */
  readonly words: string;
  /** Only this organization's. */
  readonly namespace?: string | undefined;
}

export function moduleListPage(visit: Visit, { list, words, namespace }: ListPage): Html {
  const { site } = visit;
  const path = namespace === undefined ? site.path : site.organizationPath(namespace);
  const title = namespace ?? 'Modules';
  const first = list.offset + 1;
  const body = html`<div class="stack">
<div class="tight"><h1>${title}</h1>
<p class="lead">${
    namespace === undefined ? 'The modules of every organization that you may read.' : 'Modules of this organization.'
  }</p></div>
${searchForm(path, words)}
${list.modules.length === 0 ? nothingFound(words, path) : groups(visit, list.modules, namespace)}
${pageLinks({
  label: 'Modules',
  text: list.modules.length === 0 ? undefined : `${first} to ${list.offset + list.modules.length}`,
  previous:
    list.offset === 0
      ? undefined
      : withQuery(path, { q: words || undefined, offset: Math.max(0, list.offset - list.limit) }),
  next: list.nextOffset === undefined ? undefined : withQuery(path, { q: words || undefined, offset: list.nextOffset }),
})}
</div>`;
  const crumbs = namespace === undefined ? [] : [{ text: 'Registry', path: site.path }];
  return document(visit, { title, crumbs, here: title, body });
}

function searchForm(path: string, words: string): Html {
  return html`<form class="search" role="search" method="get" action="${path}">
<input type="search" name="q" value="${words}" maxlength="256" aria-label="Search modules" placeholder="Search names, descriptions, READMEs and inputs">
<button>Search</button></form>`;
}

function nothingFound(words: string, path: string): Html {
  if (words === '') return html`<div class="card"><p>There are no modules here yet.</p></div>`;
  return html`<div class="card"><p>No module matches these words. <a href="${path}">Show all modules</a></p></div>`;
}

/** In the order of the list: of addresses, or best first. */
function groups(visit: Visit, views: readonly ModuleListing[], namespace: string | undefined): readonly Html[] {
  const byOrganization = new Map<string, ModuleListing[]>();
  for (const view of views) {
    const owner = view.details.address.namespace;
    byOrganization.set(owner, [...(byOrganization.get(owner) ?? []), view]);
  }
  return [...byOrganization].map(([owner, theirs]) => {
    const items = theirs.map((view) => item(visit, view, namespace === undefined ? 'h3' : 'h2'));
    if (namespace !== undefined) return html`<ul class="list">${items}</ul>`;
    return html`<section><h2><a href="${visit.site.organizationPath(owner)}">${owner}</a></h2><ul class="list">${items}</ul></section>`;
  });
}

function item({ site }: Visit, { details, status }: ModuleListing, rank: 'h2' | 'h3'): Html {
  const { address, description, publishedAt } = details;
  const link = html`<a href="${site.modulePath(address)}">${address.name}</a>`;
  const heading = rank === 'h2' ? html`<h2 class="name">${link}</h2>` : html`<h3 class="name">${link}</h3>`;
  return html`<li class="tight"><div class="row">${heading}
<span class="muted small">for ${address.provider}</span>
${latestBadge(status.state)}
<span class="end small muted nowrap">${address.version} · ${dayTime(publishedAt)}</span></div>
${description !== '' && html`<p class="small muted" dir="auto">${excerpt(description, MAX_DESCRIPTION_CHARACTERS)}</p>`}</li>`;
}

/** `/registry/:org/:name`: the providers that a module is written for. */
export function providersPage(visit: Visit, views: readonly ModuleListing[], namespace: string, name: string): Html {
  const { site } = visit;
  const body = html`<div class="stack"><h1>${name}</h1>
<ul class="list">${views.map((view) => {
    const { address } = view.details;
    return html`<li class="row"><a class="name" href="${site.modulePath(address)}">${address.provider}</a>
${latestBadge(view.status.state)}<span class="end small muted">${address.version}</span></li>`;
  })}</ul></div>`;
  const crumbs = [
    { text: 'Registry', path: site.path },
    { text: namespace, path: site.organizationPath(namespace) },
  ];
  return document(visit, { title: `${namespace}/${name}`, crumbs, here: name, body });
}
