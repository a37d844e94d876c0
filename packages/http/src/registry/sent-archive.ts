/** What the archive's address answers with, whatever it was made from. */
import type { ArchiveFormat } from '@postern/ports';

/** An archive as it is sent. */
export interface SentArchive {
  readonly format: ArchiveFormat;
  readonly sizeBytes: number;
  /** With its quotes. */
  readonly etag: string;
  /** SHA-256, lower-case hex, where it is known before the bytes are sent. */
  readonly digest: string | undefined;
  readonly content: AsyncIterable<Uint8Array>;
}
