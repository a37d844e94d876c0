/** One entry of the identity access list (ACCESS-2): the memory of an instance that logged in. Shape only. */
import { z } from 'zod';

export const accessListEntrySchema = z.object({
  /** Role of the first login; never changes. */
  role: z.string(),
  /** Empty when reauthentication is disallowed. */
  clientNonce: z.string(),
  disallowReauthentication: z.boolean(),
  /** As the document spells it. */
  pendingTime: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** Past this instant the entry is as if absent (ACCESS-3). */
  expiresAt: z.number(),
});

export type AccessListEntry = Readonly<z.infer<typeof accessListEntrySchema>>;
