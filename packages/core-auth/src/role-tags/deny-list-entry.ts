/** One entry of the deny list (DENY-3): a role tag that no login may use any more. Shape only; ids are digests of tags. */
import { z } from 'zod';

export const denyListEntrySchema = z.object({
  /** The whole tag: lists show it. */
  tag: z.string(),
  createdAt: z.number(),
  /** From here on tidying may remove the entry; until it does, the entry counts. */
  expiresAt: z.number(),
});

export type DenyListEntry = Readonly<z.infer<typeof denyListEntrySchema>>;
