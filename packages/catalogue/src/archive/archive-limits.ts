/**
 * How large an archive may be in every direction: each limit bounds a cost that a publisher could otherwise choose for us.
 * A real module has some dozen files of some kilobytes.
 */
export interface ArchiveLimits {
  /** Of the archive as it is uploaded. */
  readonly maxArchiveBytes: number;
  /** Of all entries, headers included, unpacked: a bomb's size. */
  readonly maxExpandedBytes: number;
  /** Unpacked bytes for each packed one, counted from `RATIO_FLOOR_BYTES` on: stops a bomb long before its full size. */
  readonly maxRatio: number;
  /** Files and folders. */
  readonly maxEntries: number;
  /** Of one configuration file (`.tf`, `.tf.json`). */
  readonly maxConfigFileBytes: number;
  /** Of all configuration files that are read: the root's, the submodules' and the examples'. */
  readonly maxConfigBytes: number;
  /** Of one README; the rest is cut. */
  readonly maxReadmeBytes: number;
}

export const DEFAULT_ARCHIVE_LIMITS: ArchiveLimits = {
  maxArchiveBytes: 100 * 1024 * 1024,
  maxExpandedBytes: 512 * 1024 * 1024,
  maxRatio: 200,
  maxEntries: 5_000,
  maxConfigFileBytes: 512 * 1024,
  maxConfigBytes: 8 * 1024 * 1024,
  maxReadmeBytes: 128 * 1024,
};

/** Small archives of repetitive text compress far better than 1:200, and do no harm. */
export const RATIO_FLOOR_BYTES = 16 * 1024 * 1024;

/** UTF-8 bytes of a name, of one part of it, and parts in it: what Windows, macOS and Linux all can hold. */
export const MAX_PATH_BYTES = 512;
export const MAX_PART_BYTES = 255;
export const MAX_PATH_PARTS = 32;
