/**
 * Where things lie in the folder of a file blob store. A path is made of a digest that was checked, or of a name made here:
 * no text of a caller ever becomes part of a path.
 */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** A SHA-256 in lower-case hex. `isDigest` is the only way to one. */
export type CheckedDigest = string & { readonly __checked: 'sha256' };

/** Whether a text is a SHA-256 in lower-case hex; the pattern leaves no room for separators, dots or NUL. */
export function isDigest(text: string): text is CheckedDigest {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Whether a folder's name is one of the 256 that fan blobs out. */
export const isShard = (name: string): boolean => /^[0-9a-f]{2}$/.test(name);

export interface BlobPaths {
  /** Holds the 256 folders that hold the blobs. */
  readonly blobs: string;
  /** Holds what is being written. On the same file system as `blobs`: a rename moves it. */
  readonly incoming: string;
  shardOf(digest: CheckedDigest): string;
  blobOf(digest: CheckedDigest): string;
}

export function blobPaths(folder: string): BlobPaths {
  const blobs = join(folder, 'sha256');
  return {
    blobs,
    incoming: join(folder, 'incoming'),
    shardOf: (digest) => join(blobs, digest.slice(0, 2)),
    blobOf: (digest) => join(blobs, digest.slice(0, 2), digest),
  };
}

/** Tells the machine (in a shared folder, the container) apart without putting its name on the disk. */
const machine = Buffer.from(hostname()).toString('hex').slice(0, 32) || '0';

/** A name for a file being written: it says which process of which machine writes it. */
export function incomingName(): string {
  return `${machine}-${process.pid}-${randomBytes(12).toString('hex')}.part`;
}

/** Who wrote a file of `incoming`; undefined for a name that was not made here. */
export function writerOf(name: string): { readonly sameMachine: boolean; readonly processId: number } | undefined {
  const match = /^([0-9a-f]{1,32})-(\d{1,10})-[0-9a-f]{24}\.part$/.exec(name);
  if (match === null) return undefined;
  return { sameMachine: match[1] === machine, processId: Number(match[2]) };
}
