/**
 * `/registry/:org/:name/:provider/:version`: what to know of one version before using it (PAGE-3), with tables of what it and its
 * submodules declare. All of it is untrusted text.
 */
import {
  adviceOf,
  type Deprecation,
  type HistoryEntry,
  type HistoryPage,
  type ModuleVersionView,
  moduleText,
  type NoticeAuthorship,
  type VersionBanner,
  type VersionStatus,
  versionBanners,
} from '@postern/core-registry';
import type {
  ModuleContents,
  ModuleDependency,
  ModuleInput,
  ModuleVersionDetails,
  ProviderDependency,
} from '@postern/ports';
import { type Column, dataTable, dayTime, excerpt, externalLink, type Html, html, minuteTime } from '../html.js';
import { actionLinks } from '../manage/actions.js';
import { document, moduleCrumbs, pageLinks, sourceBlock, stateBadge, type Visit, withQuery } from './document.js';

const MAX_DESCRIPTION_CHARACTERS = 1000;

export interface VersionPageContent {
  readonly view: ModuleVersionView;
  readonly history: HistoryPage;
  /** Rendered; undefined if absent. */
  readonly readme: Html | undefined;
  readonly canManage: boolean;
  /** What a form that led here has done. */
  readonly notice: string | undefined;
}

export function versionPage(visit: Visit, { view, history, readme, canManage, notice }: VersionPageContent): Html {
  const { details, status } = view;
  const { address, description } = details;
  const { site } = visit;
  const path = site.versionPath(address);
  const parts = [...contentsParts(details.root), submodulesPart(details.submodules)].filter(({ count }) => count > 0);
  const body = html`<div class="stack">
${notice !== undefined && html`<div class="banner done" role="status"><p>${notice}</p></div>`}
<div class="tight"><div class="title"><h1>${address.name} ${address.version}</h1>${stateBadge(status.state)}</div>
${description !== '' && html`<p class="lead" dir="auto">${excerpt(description, MAX_DESCRIPTION_CHARACTERS)}</p>`}</div>
${statusBanners(visit, status)}
${status.state !== 'revoked' && html`<section><h2>Use this version</h2>${sourceBlock(visit.host, address)}</section>`}
<div class="columns"><div class="side stack">
${about(visit, details)}
${canManage && actionLinks(visit, status)}
</div><div class="body">${sectionLinks(parts, readme !== undefined, history.total)}
${readme !== undefined && html`<section><h2 id="readme">Readme</h2><div class="readme" dir="auto">${readme}</div></section>`}
${parts.map((part) => html`<section><h2 id="${part.id}">${part.title} <span class="count">${part.count}</span></h2>${part.body}</section>`)}
${historySection(path, history)}</div></div></div>`;
  const crumbs = moduleCrumbs(site, address);
  return document(visit, { title: `${moduleText(address)} ${address.version}`, crumbs, here: address.version, body });
}

function sectionLinks(parts: readonly Part[], hasReadme: boolean, changes: number): Html {
  const link = (id: string, text: string, count: number | false) =>
    html`<li><a href="#${id}">${text}</a>${count !== false && html` <span class="count">${count}</span>`}</li>`;
  return html`<nav aria-label="On this page"><ul class="sections">
${hasReadme && link('readme', 'Readme', false)}
${parts.map(({ id, title, count }) => link(id, title, count))}
${link('history', 'History', changes)}</ul></nav>`;
}

function about(
  { site }: Visit,
  { address, owner, source, publishedAt, archive, submodules, examples }: ModuleVersionDetails,
): Html {
  return html`<section class="card"><h2>About</h2><dl class="facts">
<div><dt>Module</dt><dd class="mono"><a href="${site.modulePath(address)}">${moduleText(address)}</a></dd></div>
<div><dt>Published</dt><dd>${dayTime(publishedAt)}${owner !== '' && html` by ${excerpt(owner, 200)}`}</dd></div>
${source !== '' && html`<div><dt>Source</dt><dd>${externalLink(source)}</dd></div>`}
${examples.length > 0 && html`<div><dt>Examples</dt><dd>${examples.length}</dd></div>`}
${submodules.length > 0 && html`<div><dt>Submodules</dt><dd>${submodules.length}</dd></div>`}
<div><dt>Archive</dt><dd>${archive.format}, ${sizeText(archive.sizeBytes)}</dd></div>
<div><dt>SHA-256</dt><dd class="mono">${archive.digest}</dd></div></dl></section>`;
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

/** Who changed the state of a version, when, from what to what, and why (REG-4): newest first. */
const DONE: ReadonlyMap<string, string> = new Map([
  ['deprecate', 'Deprecated'],
  ['reinstate', 'Deprecation reverted'],
  ['revoke', 'Revoked'],
  ['unrevoke', 'Revocation lifted'],
  ['delete', 'Deleted'],
]);
const REVISED: ReadonlyMap<string, string> = new Map([
  ['deprecate', 'Deprecation revised'],
  ['revoke', 'Revocation revised'],
]);

/** @param path of the version's page. */
export function historySection(path: string, history: HistoryPage): Html {
  const { entries, total, next } = history;
  return html`<section><h2 id="history">History <span class="count">${total}</span></h2>
${
  entries.length === 0
    ? html`<p class="muted">The state of this version has never been changed.</p>`
    : html`<ol class="timeline" reversed>${entries.map(item)}</ol>`
}
${pageLinks({
  label: 'History',
  previous: (entries[0]?.seq ?? total) < total ? `${path}#history` : undefined,
  next: next === undefined ? undefined : `${withQuery(path, { before: next })}#history`,
})}</section>`;
}

function item(entry: HistoryEntry): Html {
  const { command, from, to, actor, time, reason, link } = entry;
  const what = (from === to ? REVISED.get(command) : undefined) ?? DONE.get(command) ?? command;
  const advice = adviceOf(entry);
  return html`<li class="to-${to}"><p><strong>${what}</strong> <span class="muted small">${from} → ${to}</span></p>
<p class="small muted">${minuteTime(time)} by ${actor}</p>
${reason !== null && html`<p class="keep" dir="auto">${reason}</p>`}
${advice.length > 0 && html`<p>${advice.join(' ')}</p>`}
${link !== null && html`<p>${externalLink(link)}</p>`}</li>`;
}

/** Of one cell. */
const MAX_CELL_CHARACTERS = 1000;

/** A part of a version's page. Empty parts are left out. */
export interface Part {
  /** Of its heading, for links within the page. */
  readonly id: string;
  readonly title: string;
  readonly count: number;
  readonly body: Html;
}

export function contentsParts({
  inputs,
  outputs,
  providerDependencies,
  dependencies,
  resources,
}: ModuleContents): readonly Part[] {
  // Who uses a module must know first what it asks for.
  const ordered = [...inputs.filter(({ required }) => required), ...inputs.filter(({ required }) => !required)];
  return [
    part('inputs', 'Inputs', INPUT_COLUMNS, ordered, inputRow),
    part('outputs', 'Outputs', [{ title: 'Name' }, { title: 'Description', width: 'wide' }], outputs, (output) => [
      code(output.name),
      html`${text(output.description)}${output.sensitive && html` <span class="badge plain">Sensitive</span>`}`,
    ]),
    part(
      'providers',
      'Providers',
      [{ title: 'Name' }, { title: 'Source' }, { title: 'Version' }],
      providerDependencies,
      providerRow,
    ),
    part(
      'dependencies',
      'Dependencies',
      [{ title: 'Name' }, { title: 'Source' }, { title: 'Version' }],
      dependencies,
      dependencyRow,
    ),
    part('resources', 'Resources', [{ title: 'Type' }, { title: 'Name' }], resources, ({ type, name }) => [
      code(type),
      code(name),
    ]),
  ].filter(({ count }) => count > 0);
}

export function submodulesPart(submodules: readonly ModuleContents[]): Part {
  const columns: readonly Column[] = [
    { title: 'Path' },
    { title: 'Inputs' },
    { title: 'Outputs' },
    { title: 'Resources' },
  ];
  return part('submodules', 'Submodules', columns, submodules, (each) => [
    code(each.path),
    each.inputs.length,
    each.outputs.length,
    each.resources.length,
  ]);
}

function part<T>(
  id: string,
  title: string,
  columns: readonly Column[],
  items: readonly T[],
  row: Parameters<typeof dataTable<T>>[3],
): Part {
  return { id, title, count: items.length, body: dataTable(id, columns, items, row) };
}

const INPUT_COLUMNS: readonly Column[] = [
  { title: 'Name' },
  { title: 'Type' },
  { title: 'Description', width: 'wide' },
  { title: 'Default' },
];

function inputRow({ name, type, description, default: value, required, sensitive }: ModuleInput) {
  return [
    html`${code(name)}${sensitive && html` <span class="badge plain">Sensitive</span>`}`,
    type !== '' && code(type),
    text(description),
    required ? html`<strong>Required</strong>` : value !== undefined && code(value),
  ];
}

const providerRow = ({ name, source, version }: ProviderDependency) => [code(name), code(source), code(version)];
const dependencyRow = ({ name, source, version }: ModuleDependency) => [code(name), code(source), code(version)];

function code(value: string): Html | false {
  return value !== '' && html`<code>${excerpt(value, MAX_CELL_CHARACTERS)}</code>`;
}

function text(value: string): Html | false {
  return value !== '' && html`<span class="keep" dir="auto">${excerpt(value, MAX_CELL_CHARACTERS)}</span>`;
}

/** One for each notice that stands. Their texts are core-registry's. */
function statusBanners(visit: Visit, status: VersionStatus): readonly Html[] {
  return versionBanners(status).map((banner) => {
    const isRevocation = banner.state === 'revoked';
    const authorship = isRevocation ? status.revocation : status.deprecation;
    return html`<section class="banner ${banner.state} tight" aria-label="${banner.title}"><h2>${banner.title}</h2>
${texts(banner)}
${!isRevocation && status.deprecation !== null && replacementLink(visit, status.deprecation)}
${!isRevocation && status.deprecation !== null && sunset(visit, status.deprecation)}
${authorship !== null && writtenBy(authorship)}</section>`;
  });
}

function texts({ reason, link, advice }: VersionBanner): readonly (Html | false)[] {
  return [
    reason !== null && html`<p class="keep" dir="auto">${reason}</p>`,
    advice.length > 0 && html`<p>${advice.join(' ')}</p>`,
    link !== null && html`<p>More information: ${externalLink(link)}</p>`,
  ];
}

/** A module of this registry has a page; another version of the same module is on its module's page. */
function replacementLink({ site, host }: Visit, { replacement }: Deprecation): Html | false {
  if (replacement === null || replacement.module === null) return false;
  const parts = replacement.module.split('/');
  const local = parts.length === 3 ? parts : parts.length === 4 && parts[0] === host ? parts.slice(1) : [];
  const [namespace, name, provider] = local;
  if (namespace === undefined || name === undefined || provider === undefined) return false;
  return html`<p><a href="${site.modulePath({ namespace, name, provider })}">Open ${replacement.module}</a></p>`;
}

function sunset({ now }: Visit, { sunsetAt }: Deprecation): Html | false {
  return sunsetAt !== null && sunsetAt <= now && html`<p><strong>That day has passed.</strong></p>`;
}

function writtenBy({ at, by, revisedAt, revisedBy }: NoticeAuthorship): Html {
  return html`<p class="small">By ${by} on ${minuteTime(at)}${
    revisedAt !== null && html`, revised by ${revisedBy ?? by} on ${minuteTime(revisedAt)}`
  }.</p>`;
}
