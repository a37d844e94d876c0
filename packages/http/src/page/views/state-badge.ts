/** The state of a version, in a word and a colour. */
import type { ModuleVersionState } from '@postern/ports';
import { type Html, html } from '../html/html.js';

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
