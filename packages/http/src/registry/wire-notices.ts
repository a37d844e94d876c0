/**
 * What is ours beside `deprecation` (REG-6), in the two spellings of the interface: kebab-case in JSON:API documents,
 * snake_case in the registry protocol. Instants are RFC 3339 texts.
 */
import {
  type Deprecation,
  type DeprecationExtras,
  formatInstant,
  type Notice,
  noticeOf,
  type VersionStatus,
} from '@postern/core-registry';
import type { JsonObject } from './json-document.js';

const instantOf = (at: number | null) => (at === null ? null : formatInstant(at));

/** Undefined where none of the three was given. */
export function kebabDetails({ reasonClass, replacement, sunsetAt }: DeprecationExtras): JsonObject | undefined {
  if (reasonClass === null && replacement === null && sunsetAt === null) return undefined;
  return { 'reason-class': reasonClass, replacement, sunset: instantOf(sunsetAt) };
}

/** Members beside a version's `deprecation`: none for one that is active, so that nothing is added to what clients know. */
export function snakeMembers({ deprecation, revocation }: VersionStatus): JsonObject {
  if (deprecation === null) return {};
  return {
    deprecation_details: snakeDetails(deprecation),
    ...(revocation === null ? {} : { revocation: noticeOf(revocation) }),
  };
}

function snakeDetails(deprecation: Deprecation): JsonObject {
  return {
    reason_class: deprecation.reasonClass,
    replacement: deprecation.replacement,
    sunset_at: instantOf(deprecation.sunsetAt),
    deprecated_at: formatInstant(deprecation.at),
    deprecated_by: deprecation.by,
    revised_at: instantOf(deprecation.revisedAt),
    revised_by: deprecation.revisedBy,
  };
}

/** One question, one answer: state, notices and details of a version. */
export function statusObject(status: VersionStatus): JsonObject {
  const { id, state, deprecation } = status;
  return { id, state, deprecation: noticeOf(deprecation), ...snakeMembers(status) };
}

/** What the specification calls `deprecation`: reason and link, texts or null, and nothing else. */
export function deprecationMember({ deprecation }: VersionStatus): Notice | null {
  return noticeOf(deprecation);
}
