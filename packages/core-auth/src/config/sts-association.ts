/** The role to assume for the instances of another account (ASSOC-1, ASSOC-3). Shape of the stored record. */
import { z } from 'zod';

export const stsAssociationSchema = z.object({
  /** ARN of an IAM role in that account. */
  stsRole: z.string(),
  /** Sent with AssumeRole only where it is set; empty means none. */
  externalId: z.string(),
});

export type StsAssociation = Readonly<z.infer<typeof stsAssociationSchema>>;
