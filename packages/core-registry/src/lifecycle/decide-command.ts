/**
 * What a command does to a version, as a pure function of what is stored (REG-1). A notice replaces the one
 * before it whole: what is not said again is gone. Exactly the same notice again changes nothing, so that a request that
 * is repeated because its answer was lost leaves one entry in the history.
 */
import type { EpochMillis, ModuleVersionAddress, ModuleVersionState } from '@postern/ports';
import { versionId } from '../addresses/address.js';
import type { HistoryEntry } from '../results.js';
import type { Change, NO_STATUS, StatusRecord } from '../store/status-store.js';
import type { Deprecation, DeprecationExtras, Notice, NoticeAuthorship, Revocation } from '../version-status.js';
import { type RefusalCode, TRANSITIONS } from './transitions.js';

/** A command with its checked input. */
export type CheckedCommand =
  | { readonly name: 'deprecate'; readonly notice: Notice & DeprecationExtras }
  | { readonly name: 'revoke'; readonly notice: Notice }
  | { readonly name: 'reinstate' | 'unrevoke' };

/** Who does it, when, in which request. */
export interface CommandOrigin {
  readonly actor: string;
  readonly requestId: string;
  readonly time: EpochMillis;
}

export type Decision =
  | { readonly kind: 'change'; readonly change: Change }
  | { readonly kind: 'stay' }
  | { readonly kind: 'refuse'; readonly code: RefusalCode };

type Current = StatusRecord | typeof NO_STATUS;

export function decideCommand(
  address: ModuleVersionAddress,
  current: Current,
  command: CheckedCommand,
  origin: CommandOrigin,
): Decision {
  const transition = TRANSITIONS[current.state][command.name];
  switch (transition.kind) {
    case 'stay':
      return { kind: 'stay' };
    case 'refuse':
      return { kind: 'refuse', code: transition.code };
    case 'revise':
      if (saysTheSame(current, command)) return { kind: 'stay' };
      return { kind: 'change', change: changeTo(current.state, address, current, command, origin) };
    case 'move':
      return { kind: 'change', change: changeTo(transition.to, address, current, command, origin) };
  }
}

const NO_NOTICE: Notice & DeprecationExtras = {
  reason: null,
  link: null,
  reasonClass: null,
  replacement: null,
  sunsetAt: null,
};

function changeTo(
  to: ModuleVersionState,
  address: ModuleVersionAddress,
  current: Current,
  command: CheckedCommand,
  origin: CommandOrigin,
): Change {
  const seq = current.seq + 1;
  const born = (kind: string): NoticeAuthorship & { id: string } => ({
    // No number is ever used twice for a version, so neither is an id.
    id: `${versionId(address)}/${kind}/${seq}`,
    at: origin.time,
    by: origin.actor,
    revisedAt: null,
    revisedBy: null,
  });
  const revised = ({ id, at, by }: Deprecation | Revocation) => ({
    id,
    at,
    by,
    revisedAt: origin.time,
    revisedBy: origin.actor,
  });
  const authorOf = (before: Deprecation | Revocation | null, kind: string) =>
    before === null ? born(kind) : revised(before);
  let { deprecation, revocation } = current;
  if (command.name === 'deprecate') deprecation = { ...command.notice, ...authorOf(deprecation, 'deprecations') };
  if (command.name === 'revoke') revocation = { ...command.notice, ...authorOf(revocation, 'revocations') };
  if (command.name === 'reinstate') deprecation = null;
  if (command.name === 'unrevoke') revocation = null;
  const entry: HistoryEntry = {
    seq,
    time: origin.time,
    actor: origin.actor,
    requestId: origin.requestId,
    command: command.name,
    from: current.state,
    to,
    ...NO_NOTICE,
    ...('notice' in command ? command.notice : {}),
  };
  return { record: { seq, state: to, deprecation, revocation }, entry };
}

/** Only ever asked of a command that revises, so of one with a notice. */
function saysTheSame({ deprecation, revocation }: Current, command: CheckedCommand): boolean {
  if (command.name === 'deprecate') return deprecation !== null && sameDeprecation(deprecation, command.notice);
  return command.name === 'revoke' && revocation !== null && sameNotice(revocation, command.notice);
}

function sameNotice(left: Notice, right: Notice): boolean {
  return left.reason === right.reason && left.link === right.link;
}

function sameDeprecation(left: Notice & DeprecationExtras, right: Notice & DeprecationExtras): boolean {
  return (
    sameNotice(left, right) &&
    left.reasonClass === right.reasonClass &&
    left.sunsetAt === right.sunsetAt &&
    left.replacement?.module === right.replacement?.module &&
    left.replacement?.version === right.replacement?.version
  );
}
