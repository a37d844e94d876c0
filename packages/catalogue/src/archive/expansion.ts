/** How much an archive may unpack to. Counted while it unpacks, never taken from the archive's own headers. */
import { type ArchiveLimits, RATIO_FLOOR_BYTES } from './archive-limits.js';
import { refusal } from './refuse.js';

export interface ExpansionGuard {
  /** Takes note of bytes that came out. @throws ModuleArchiveError `archive_expands_too_much`. */
  expanded(bytes: number): void;
  /** Whether these bytes more would be too many. @throws ModuleArchiveError `archive_expands_too_much`. */
  check(bytes: number): void;
}

/** `archiveBytes`: of the archive as it was uploaded. */
export function createExpansionGuard(
  archiveBytes: number,
  limits: Pick<ArchiveLimits, 'maxExpandedBytes' | 'maxRatio'>,
): ExpansionGuard {
  const allowed = Math.min(limits.maxExpandedBytes, Math.max(RATIO_FLOOR_BYTES, archiveBytes * limits.maxRatio));
  let total = 0;
  const check = (bytes: number) => {
    if (total + bytes <= allowed) return;
    throw refusal(
      'archive_expands_too_much',
      `the archive unpacks to more than ${allowed} bytes: leave out what the module does not need`,
    );
  };
  return {
    check,
    expanded: (bytes) => {
      check(bytes);
      total += bytes;
    },
  };
}
