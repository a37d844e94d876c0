/** Rows of the database as records of the port, and text as the bytes that are stored. */
import type { StoredRecord } from '@postern/ports';

/** The columns as the driver reads them: `bigint` comes as text. */
export interface RecordRow {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly version: string;
  readonly expires_at: string | null;
}

/** UTF-8 bytes of well-formed text. */
export function textToBytes(text: string): Buffer {
  return Buffer.from(text, 'utf8');
}

export function keyOf({ key }: Pick<RecordRow, 'key'>): string {
  return key.toString('utf8');
}

export function recordOf(row: RecordRow): StoredRecord {
  return {
    key: keyOf(row),
    value: row.value.toString('utf8'),
    version: row.version,
    expiresAt: row.expires_at === null ? undefined : Number(row.expires_at),
  };
}
