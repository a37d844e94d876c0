/**
 * The status of one module version: its state and its notices (REG-11, REG-6). What
 * the specification names is kept apart from what is ours: `deprecation` holds reason and link and nothing else, ever.
 */
import { type EpochMillis, type ModuleVersionAddress, type ModuleVersionState, STORAGE_LIMITS } from '@postern/ports';

export const MAX_REASON_CHARACTERS = 2000;
export const MAX_LINK_CHARACTERS = 2000;

/** Versions that one call of `statuses` may name: one read of storage. */
export const MAX_STATUSES = STORAGE_LIMITS.maxGetMany;

/** What the specification calls `deprecation` (and HCP `revocation`): either part may be missing. Untrusted text. */
export interface Notice {
  readonly reason: string | null;
  readonly link: string | null;
}

/** Why, for machines. */
export const REASON_CLASSES = ['legacy', 'critical-bugs', 'security', 'renamed', 'other'] as const;
export type ReasonClass = (typeof REASON_CLASSES)[number];

/** What to use instead; at least one part is given. */
export interface Replacement {
  /** `acme/network/aws` or `registry.acme.example/acme/network/aws`; null means the same module. */
  readonly module: string | null;
  /** Constraint as written: `~> 2.0`. */
  readonly version: string | null;
}

/** Who wrote a notice and when. `revised…` is of the last change in place; null where there was none. */
export interface NoticeAuthorship {
  readonly at: EpochMillis;
  readonly by: string;
  readonly revisedAt: EpochMillis | null;
  readonly revisedBy: string | null;
}

/** What is ours beside `deprecation` (REG-6). */
export interface DeprecationExtras {
  readonly reasonClass: ReasonClass | null;
  readonly replacement: Replacement | null;
  /** From when on the version should not be used at all. Postern does nothing by itself then. */
  readonly sunsetAt: EpochMillis | null;
}

/** The deprecation record of a version. */
export interface Deprecation extends Notice, DeprecationExtras, NoticeAuthorship {
  /** Opaque. Stays while the deprecation is revised in place; one made after reinstating has another. */
  readonly id: string;
}

/** Why a version may no longer be downloaded. */
export interface Revocation extends Notice, NoticeAuthorship {
  readonly id: string;
}

/** One version, as everybody who may read it sees it. Frozen, and shared between callers. */
export interface VersionStatus {
  /** `acme/network/aws/1.0.0`: the id of the module version in every answer (REG-11). */
  readonly id: string;
  readonly address: ModuleVersionAddress;
  readonly state: ModuleVersionState;
  /** Not null exactly when `state` is not `active`: a revoked version is a deprecated one too. */
  readonly deprecation: Deprecation | null;
  /** Not null exactly when `state` is `revoked`. */
  readonly revocation: Revocation | null;
}

/** `deprecation` or `revocation` as it stands in an answer: these two members and no others (REG-6). */
export function noticeOf(notice: Notice | null): Notice | null {
  return notice === null ? null : { reason: notice.reason, link: notice.link };
}
