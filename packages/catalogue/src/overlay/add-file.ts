/**
 * An archive with more files (OVERLAY-1), streamed. A gzip file may have several members, which unpack as one:
 * the entries go in front in a member of their own and the published bytes follow unchanged. A zip needs a new directory, and
 * the old one lies at its end: that is read first.
 */
import type { ModuleArchive } from '@postern/ports';
import { paddingOf, tarHeaders } from '../archive/tar-writer.js';
import { END_BYTES, findZipDirectory, MAX_COMMENT_BYTES, spliceZip, type ZipDirectory } from './zip-splice.js';

/** A file to add. */
export interface AddedFile {
  /** From the root of the archive: ASCII. */
  readonly path: string;
  readonly content: string;
}

/**
 * @param reopen opens the same archive again: its content can be read only once.
 * @returns undefined where the files cannot be added; then nothing of the archive was read. The digest of the new archive is
 *   not known before it was sent.
 */
export async function addFilesToArchive(
  archive: ModuleArchive,
  files: readonly AddedFile[],
  reopen: () => Promise<ModuleArchive>,
): Promise<Omit<ModuleArchive, 'digest'> | undefined> {
  const encoded = files.map(({ path, content }) => ({ path, content: new TextEncoder().encode(content) }));
  const { format } = archive;
  if (format === 'tar.gz') {
    const member = await gzip(Buffer.concat(encoded.map(({ path, content }) => tarEntry(path, content))));
    const sizeBytes = member.byteLength + archive.sizeBytes;
    return { format, sizeBytes, content: concat(member, archive.content) };
  }
  const directory = await readZipDirectory(await reopen());
  if (directory === undefined) return undefined;
  const { entry, end } = spliceZip(directory, encoded);
  const kept = directory.offset + directory.sizeBytes;
  return {
    format,
    sizeBytes: kept + entry.byteLength + end.byteLength,
    content: spliced(archive.content, directory.offset, entry, kept, end),
  };
}

async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([Uint8Array.from(bytes)]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function* concat(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

/** Reads all of it, and keeps the last bytes. */
async function readZipDirectory({ content, sizeBytes }: ModuleArchive): Promise<ZipDirectory | undefined> {
  const wanted = END_BYTES + MAX_COMMENT_BYTES;
  let tail = new Uint8Array();
  for await (const chunk of content) {
    const both = new Uint8Array(tail.byteLength + chunk.byteLength);
    both.set(tail);
    both.set(chunk, tail.byteLength);
    tail = both.subarray(Math.max(0, both.byteLength - wanted));
  }
  return findZipDirectory(tail, sizeBytes);
}

/** Bytes up to `first`, the entry, bytes up to `last`, the new end; what follows `last` is read and left out. */
async function* spliced(
  content: AsyncIterable<Uint8Array>,
  first: number,
  entry: Uint8Array,
  last: number,
  end: Uint8Array,
): AsyncGenerator<Uint8Array> {
  let at = 0;
  let isEntered = false;
  for await (const chunk of content) {
    const until = (offset: number) => Math.min(chunk.byteLength, Math.max(0, offset - at));
    const [toEntry, toEnd] = [until(first), until(last)];
    if (toEntry > 0) yield chunk.subarray(0, toEntry);
    if (!isEntered && at + chunk.byteLength > first) {
      isEntered = true;
      yield entry;
    }
    if (toEnd > toEntry) yield chunk.subarray(toEntry, toEnd);
    at += chunk.byteLength;
  }
  yield end;
}

/** A file as an entry of a tar archive: header, content, zeros to the next block. */
function tarEntry(path: string, content: Uint8Array): Uint8Array {
  const sizeBytes = content.byteLength;
  const header = tarHeaders({ parts: path.split('/'), kind: 'file', sizeBytes, isExecutable: false });
  const blocks = new Uint8Array(header.byteLength + sizeBytes + paddingOf(sizeBytes));
  blocks.set(header);
  blocks.set(content, header.byteLength);
  return blocks;
}
