/** The role to assume for the instances of another account (spec 2.4, decision R21). Shape of the stored record. */
import { z } from 'zod';

export const stsAssociationSchema = z.object({
  /** ARN of an IAM role in that account. */
  stsRole: z.string(),
  /** Sent with AssumeRole only where it is set; empty means none. */
  externalId: z.string(),
});

export type StsAssociation = Readonly<z.infer<typeof stsAssociationSchema>>;
