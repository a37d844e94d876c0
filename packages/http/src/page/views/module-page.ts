/** `/registry/:org/:name/:provider`: all versions of a module with their states (PAGE-4). */
import {
  type ModuleNotice,
  type ModuleVersionView,
  moduleNotice,
  moduleText,
  type VersionList,
  type VersionListing,
} from '@postern/core-registry';
import type { ModuleVersionState } from '@postern/ports';
import { dataTable, dayTime, excerpt, externalLink, type Html, html } from '../html.js';
import { document, moduleCrumbs, pageLinks, sourceBlock, stateBadge, type Visit, withQuery } from './document.js';

/** Rows of one page: a module may have thousands of versions, a reader has one screen. */
export const VERSIONS_PER_PAGE = 100;
const MAX_REASON_CHARACTERS = 160;
const MAX_DESCRIPTION_CHARACTERS = 1000;

const FILTERS: readonly { readonly state: ModuleVersionState | undefined; readonly text: string }[] = [
  { state: undefined, text: 'All' },
  { state: 'active', text: 'Active' },
  { state: 'deprecated', text: 'Deprecated' },
  { state: 'revoked', text: 'Revoked' },
];

export interface ModulePageContent {
  readonly list: VersionList;
  /** The latest version, for its description and source. */
  readonly latest: ModuleVersionView;
  /** Which versions to show; undefined for all. */
  readonly state: ModuleVersionState | undefined;
  readonly offset: number;
}

export function modulePage(visit: Visit, content: ModulePageContent): Html {
  const { list, latest } = content;
  const { site, host } = visit;
  const { module } = list;
  const notice = moduleNotice(list);
  const suggested = (list.latestActive ?? list.latest).status;
  const { description, source } = latest.details;
  const body = html`<div class="stack">
<div class="tight"><div class="title"><h1>${module.name}</h1><span class="badge plain">${module.provider}</span></div>
${description !== '' && html`<p class="lead" dir="auto">${excerpt(description, MAX_DESCRIPTION_CHARACTERS)}</p>`}</div>
${moduleBanner(notice, notice?.suggestion === undefined ? undefined : site.versionPath(suggested.address))}
${suggested.state !== 'revoked' && html`<section><h2>Use this module</h2>${sourceBlock(host, suggested.address)}</section>`}
<div class="columns"><div class="side stack">
<section class="card"><h2>About</h2><dl class="facts">
<div><dt>Address</dt><dd class="mono">${moduleText(module)}</dd></div>
<div><dt>Latest version</dt><dd><a href="${site.versionPath(list.latest.status.address)}">${list.latest.summary.version}</a></dd></div>
<div><dt>Versions</dt><dd>${list.versions.length}</dd></div>
${source !== '' && html`<div><dt>Source</dt><dd>${externalLink(source)}</dd></div>`}</dl></section>
</div><div class="body"><section class="stack"><h2 id="versions">Versions</h2>${versions(visit, content)}</section></div></div></div>`;
  const crumbs = moduleCrumbs(site, module).slice(0, -1);
  return document(visit, { title: moduleText(module), crumbs, here: module.provider, body });
}

function versions({ site }: Visit, { list, state, offset }: ModulePageContent): Html {
  const path = site.modulePath(list.module);
  const counts = new Map<ModuleVersionState, number>();
  for (const { status } of list.versions) counts.set(status.state, (counts.get(status.state) ?? 0) + 1);
  const filters = FILTERS.map((filter) => {
    const count = filter.state === undefined ? list.versions.length : (counts.get(filter.state) ?? 0);
    const current = filter.state === state;
    return html`<li><a href="${withQuery(path, { state: filter.state })}"${current && html` aria-current="true"`}>${filter.text} <span class="count">${count}</span></a></li>`;
  });
  const chosen = state === undefined ? list.versions : list.versions.filter(({ status }) => status.state === state);
  const shown = chosen.slice(offset, offset + VERSIONS_PER_PAGE);
  const table = dataTable(
    'versions',
    [{ title: 'Version' }, { title: 'State' }, { title: 'Published' }, { title: 'Reason', width: 'wide' }],
    shown,
    (listing) => [
      html`<span class="nowrap"><a href="${site.versionPath(listing.status.address)}">${listing.summary.version}</a>${
        listing === list.latest && html` <span class="badge plain">Latest</span>`
      }</span>`,
      stateBadge(listing.status.state),
      html`<span class="nowrap">${dayTime(listing.summary.publishedAt)}</span>`,
      reasonOf(listing),
    ],
  );
  const links = pageLinks({
    label: 'Versions',
    text: `${offset + 1} to ${offset + shown.length} of ${chosen.length}`,
    previous: offset === 0 ? undefined : withQuery(path, { state, offset: Math.max(0, offset - VERSIONS_PER_PAGE) }),
    next:
      offset + shown.length < chosen.length
        ? withQuery(path, { state, offset: offset + VERSIONS_PER_PAGE })
        : undefined,
  });
  return html`<ul class="filters">${filters}</ul>
${shown.length === 0 ? html`<p class="muted">No version is in this state.</p>` : table}${links}`;
}

function reasonOf({ status }: VersionListing): Html | false {
  const reason = status.revocation?.reason ?? status.deprecation?.reason ?? null;
  return reason !== null && html`<span dir="auto">${excerpt(reason, MAX_REASON_CHARACTERS)}</span>`;
}

/** Where the newest release is deprecated, it says which version to take instead. */
function moduleBanner(notice: ModuleNotice | undefined, suggestionPath: string | undefined): Html | false {
  if (notice === undefined) return false;
  const tone = notice.kind === 'all-revoked' ? 'revoked' : 'deprecated';
  const { suggestion } = notice;
  return html`<div class="banner ${tone} tight"><h2>${notice.text}</h2>${
    suggestion !== undefined &&
    suggestionPath !== undefined &&
    html`<p><a href="${suggestionPath}">Open version ${suggestion}</a></p>`
  }</div>`;
}
