/** The history, followed entry by entry: what must stand at its end. Fails where an entry does not follow from those before. */
import { expect } from 'vitest';
import { COMMANDS, type Command, TRANSITIONS, type Transition } from '../src/lifecycle/transitions.js';
import type { HistoryEntry } from '../src/results.js';

export function replay(history: readonly HistoryEntry[]) {
  let state: HistoryEntry['from'] = 'active';
  let deprecation: { reason: string | null; link: string | null } | null = null;
  let revocation: { reason: string | null; link: string | null } | null = null;
  for (const [at, entry] of history.entries()) {
    if (!isCommand(entry.command)) throw new TypeError(`no command: ${entry.command}`);
    const transition: Transition = TRANSITIONS[state][entry.command];
    const to: HistoryEntry['to'] = transition.kind === 'move' ? transition.to : state;
    expect(['move', 'revise']).toContain(transition.kind);
    expect({ seq: entry.seq, from: entry.from, to: entry.to }).toEqual({ seq: at + 1, from: state, to });
    state = to;
    const notice = { reason: entry.reason, link: entry.link };
    if (entry.command === 'deprecate') deprecation = notice;
    if (entry.command === 'revoke') revocation = notice;
    if (entry.command === 'reinstate') deprecation = null;
    if (entry.command === 'unrevoke') revocation = null;
  }
  return { state, deprecation, revocation };
}

function isCommand(command: string): command is Command {
  return COMMANDS.some((each) => each === command);
}
