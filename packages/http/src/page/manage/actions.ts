/** What a manager can do to a version from its page, as texts: the words are those of HCP's dialog (PAGE-6). */
import { type Command, TRANSITIONS, type VersionStatus } from '@postern/core-registry';
import type { ModuleVersionState } from '@postern/ports';
import { type Html, html } from '../html.js';
import type { Visit } from '../views/document.js';

export interface ActionWords {
  /** Of the link below "Manage version 1.0.0". */
  link(state: ModuleVersionState): string;
  /** Of the page it opens. */
  title(version: string, state: ModuleVersionState): string;
  /** What it does, said before it is done. */
  readonly effect: string;
  /** Of the button that does it. */
  button(version: string): string;
  /** What the page says afterwards. */
  done(version: string): string;
  /** Whether it asks for a notice. */
  readonly asks: 'deprecation' | 'revocation' | 'nothing';
}

export const ACTIONS: Readonly<Record<Command, ActionWords>> = {
  deprecate: {
    link: (state) => (state === 'active' ? 'Deprecate' : 'Revise deprecation'),
    title: (version, state) =>
      state === 'active' ? `Deprecate version ${version}` : `Revise deprecation of version ${version}`,
    effect:
      'Shows a warning on this version’s page and in the run output of everyone who uses it. It can still be downloaded.',
    button: () => 'Deprecate',
    done: (version) => `Version ${version} is deprecated.`,
    asks: 'deprecation',
  },
  reinstate: {
    link: () => 'Revert deprecation',
    title: (version) => `Revert deprecation of version ${version}`,
    effect: 'The warnings are removed and the version is fully reinstated. Its history is kept.',
    button: (version) => `Revert deprecation of version ${version}`,
    done: (version) => `The deprecation of version ${version} is reverted.`,
    asks: 'nothing',
  },
  revoke: {
    link: (state) => (state === 'revoked' ? 'Revise revocation' : 'Revoke'),
    title: (version, state) =>
      state === 'revoked' ? `Revise revocation of version ${version}` : `Revoke version ${version}`,
    effect: 'This version can no longer be downloaded. Existing installations keep working and show a warning.',
    button: () => 'Revoke',
    done: (version) => `Version ${version} is revoked.`,
    asks: 'revocation',
  },
  unrevoke: {
    link: () => 'Lift revocation',
    title: (version) => `Lift revocation of version ${version}`,
    effect: 'The version can be downloaded again. It stays deprecated, as it was before.',
    button: (version) => `Lift revocation of version ${version}`,
    done: (version) => `The revocation of version ${version} is lifted. It is still deprecated.`,
    asks: 'nothing',
  },
};

export function isCommand(text: string): text is Command {
  return Object.hasOwn(ACTIONS, text);
}

/** What can be done to a version in a state: of the registry's own table, all that changes something. */
export function offeredActions(state: ModuleVersionState): readonly Command[] {
  const commands = ['deprecate', 'reinstate', 'revoke', 'unrevoke'] as const;
  return commands.filter((command) => {
    const { kind } = TRANSITIONS[state][command];
    return kind === 'move' || kind === 'revise';
  });
}

/** On a version's page, for those who may manage it: what can be done in its present state. */
export function actionLinks({ site }: Visit, { address, state }: VersionStatus): Html {
  return html`<section><h2>Manage version ${address.version}</h2><div class="actions">${offeredActions(state).map(
    (command) =>
      html`<a class="button second" href="${site.actionPath(address, command)}">${ACTIONS[command].link(state)}</a>`,
  )}</div></section>`;
}
