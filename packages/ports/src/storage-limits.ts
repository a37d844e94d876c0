/** What every adapter accepts and nothing beyond: the smallest of the databases behind the port. */
export const STORAGE_LIMITS = {
  /** UTF-8 bytes of a key, 1 at least. */
  maxKeyBytes: 1024,
  /** UTF-8 bytes of a value. */
  maxValueBytes: 300 * 1024,
  /** Operations on records in a commit. */
  maxOperations: 25,
  /** Appends in a commit. */
  maxAppends: 5,
  /** Items in a page. */
  maxPage: 1000,
  /** Keys in a `getMany`. */
  maxGetMany: 100,
} as const;
