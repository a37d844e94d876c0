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
