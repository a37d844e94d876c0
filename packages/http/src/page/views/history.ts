/** Who changed the state of a version, when, from what to what, and why (REG-4): newest first. */
import { adviceOf, type HistoryEntry, type HistoryPage } from '@postern/core-registry';
import { externalLink } from '../html/external-link.js';
import { type Html, html } from '../html/html.js';
import { minuteTime } from '../html/instant.js';
import { pageLinks, withQuery } from './paging.js';

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
