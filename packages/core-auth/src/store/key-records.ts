/** Keys that the method makes for itself, as they are stored: of batch tokens, all in one record (BATCH-2), and of audit hashes (AUDIT-3). */
import * as z from 'zod';

const batchKeySchema = z.strictObject({
  /** Hex. */
  id: z.string(),
  /** Base64url of 32 bytes. */
  key: z.string(),
  createdAt: z.number(),
  /** No token is sealed with it from here on. */
  sealUntil: z.number(),
  /** No token under it lives beyond. */
  keepUntil: z.number(),
});

export const batchKeyRingSchema = z.strictObject({ keys: z.array(batchKeySchema).readonly() });

export const auditKeySchema = z.strictObject({
  /** Base64url of 32 bytes. */
  key: z.string(),
});

export type AuditKey = Readonly<z.infer<typeof auditKeySchema>>;
export type BatchKeyRing = Readonly<z.infer<typeof batchKeyRingSchema>>;
export type StoredBatchKey = BatchKeyRing['keys'][number];
