/** On a version's page, for those who may manage it: what can be done in its present state. */
import type { VersionStatus } from '@postern/core-registry';
import { type Html, html } from '../html/html.js';
import type { Visit } from '../visit.js';
import { ACTIONS, offeredActions } from './actions.js';

export function actionLinks({ site }: Visit, { address, state }: VersionStatus): Html {
  return html`<section><h2>Manage version ${address.version}</h2><div class="actions">${offeredActions(state).map(
    (command) =>
      html`<a class="button second" href="${site.actionPath(address, command)}">${ACTIONS[command].link(state)}</a>`,
  )}</div></section>`;
}
