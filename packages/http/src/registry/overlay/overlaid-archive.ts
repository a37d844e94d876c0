/**
 * The archive of a deprecated version with the check block in its root (OVERLAY-1), streamed. A gzip
 * file may have several members, which unpack as one: the entry goes in front in a member of its own and the published
 * bytes follow untouched. A zip needs its directory anew, which lies at its end: that is read first.
 */
import type { OverlayFile } from '@postern/core-registry';
import type { ModuleArchive } from '@postern/ports';
import { strongEtag } from '../exchange.js';
import type { SentArchive } from '../sent-archive.js';
import { tarEntry } from './tar-entry.js';
import { END_BYTES, findZipDirectory, MAX_COMMENT_BYTES, spliceZip, type ZipDirectory } from './zip-splice.js';

/**
 * @param reopen the same archive once more: its content can be read once.
 * @returns undefined where the file cannot be put in; then nothing of the archive was read.
 */
export async function overlaidArchive(
  archive: ModuleArchive,
  file: OverlayFile,
  reopen: () => Promise<ModuleArchive>,
): Promise<SentArchive | undefined> {
  const content = new TextEncoder().encode(file.content);
  // Its digest is known only once it was sent; what it is made of is known now.
  const etag = await strongEtag(JSON.stringify([archive.digest, file.path, file.content]));
  const made = { format: archive.format, etag, digest: undefined };
  if (archive.format === 'tar.gz') {
    const member = await gzip(tarEntry(file.path, content));
    return {
      ...made,
      sizeBytes: member.byteLength + archive.sizeBytes,
      content: concat(member, archive.content),
    };
  }
  const directory = await readZipDirectory(await reopen());
  if (directory === undefined) return undefined;
  const { entry, end } = spliceZip(directory, file.path, content);
  const kept = directory.offset + directory.sizeBytes;
  return {
    ...made,
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
