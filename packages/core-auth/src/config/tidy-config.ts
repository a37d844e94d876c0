/** How expired entries are swept (TIDY-1, TIDY-2). Shape of the stored record and its defaults. */
import { z } from 'zod';

/** The two independent records of TIDY-1, named as their paths. */
export const TIDY_TARGETS = ['identity-accesslist', 'roletag-denylist'] as const;
export type TidyTarget = (typeof TIDY_TARGETS)[number];

export const tidyConfigSchema = z.object({
  /** Time past its expiration that an entry is still kept. */
  safetyBufferSeconds: z.number().int().nonnegative(),
  disablePeriodicTidy: z.boolean(),
});

export type TidyConfig = Readonly<z.infer<typeof tidyConfigSchema>>;

/** 72 h for both (TIDY-2). */
export const DEFAULT_TIDY_CONFIG: TidyConfig = { safetyBufferSeconds: 72 * 60 * 60, disablePeriodicTidy: false };
