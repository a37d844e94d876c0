/**
 * What a registry says of one version. `deprecation` is the wire contract of all registries: any object means deprecated,
 * its texts may be missing (CHECK-2). What stands beside it is Postern's own (REG-6).
 */
import {
  type DeprecationExtras,
  MAX_LINK_CHARACTERS,
  MAX_REASON_CHARACTERS,
  type Notice,
  REASON_CLASSES,
  type ReasonClass,
  type Replacement,
} from '@postern/core-registry/notices';
import type { EpochMillis, ModuleVersionState } from '@postern/ports';
import { isObject, member } from './json.js';
import { AskError } from './problem.js';

export interface VersionStatusResponse {
  readonly state: ModuleVersionState;
  readonly deprecation: (Notice & Partial<DeprecationExtras>) | null;
  readonly revocation: Notice | null;
}

/**
 * @param entry of the list of versions, or a status: both have the same members.
 * @throws AskError `answer_invalid`
 */
export function parseVersionStatus(entry: unknown): VersionStatusResponse {
  const [deprecation, revocation] = [noticeMember(entry, 'deprecation'), noticeMember(entry, 'revocation')];
  const isRevoked = revocation !== null || member(entry, 'state') === 'revoked';
  const isDeprecated = deprecation !== null || member(entry, 'state') === 'deprecated';
  const details = extrasOf(member(entry, 'deprecation_details'));
  return {
    state: isRevoked ? 'revoked' : isDeprecated ? 'deprecated' : 'active',
    deprecation: isDeprecated || isRevoked ? { reason: null, link: null, ...deprecation, ...details } : null,
    revocation,
  };
}

/** Absent and null mean none; an object means that it is so, whatever is in it. */
function noticeMember(entry: unknown, name: string): Notice | null {
  const value = member(entry, name) ?? null;
  if (value === null) return null;
  if (!isObject(value)) throw new AskError('answer_invalid', 'response has an unknown format');
  return {
    reason: textOf(value, 'reason', MAX_REASON_CHARACTERS),
    link: textOf(value, 'link', MAX_LINK_CHARACTERS),
  };
}

function extrasOf(details: unknown): Partial<DeprecationExtras> {
  if (!isObject(details)) return {};
  const named = member(details, 'reason_class');
  return {
    reasonClass: REASON_CLASSES.find((each): each is ReasonClass => each === named) ?? null,
    replacement: replacementOf(member(details, 'replacement')),
    sunsetAt: instantOf(member(details, 'sunset_at')),
  };
}

const MAX_REPLACEMENT_CHARACTERS = 512;

function replacementOf(value: unknown): Replacement | null {
  if (!isObject(value)) return null;
  const module = textOf(value, 'module', MAX_REPLACEMENT_CHARACTERS);
  const version = textOf(value, 'version', MAX_REPLACEMENT_CHARACTERS);
  return module === null && version === null ? null : { module, version };
}

function instantOf(value: unknown): EpochMillis | null {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}T[\d:.]{8,12}(?:Z|[+-]\d{2}:\d{2})$/.test(value)) return null;
  const instant = Date.parse(value);
  return Number.isNaN(instant) ? null : instant;
}

/** A text of another length than ours allows is cut, so that it cannot bury the rest of a run's output. */
function textOf(value: unknown, name: string, maxCharacters: number): string | null {
  const text = member(value, name);
  if (typeof text !== 'string') return null;
  const characters = [...text.slice(0, maxCharacters * 2)];
  const isWhole = text.length <= maxCharacters * 2 && characters.length <= maxCharacters;
  return isWhole ? text : `${characters.slice(0, maxCharacters).join('')}…`;
}
