/**
 * Which files of `incoming` are not written any more. A killed process can't clean up after itself, and another process may
 * be writing into the same folder now.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type BlobPaths, writerOf } from './blob-paths.js';
import { ifPresent, onDisk, systemCode } from './disk.js';

/** Nobody uploads for a day: a file this old was left by a machine that is gone, or by a process whose number lives on. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;

/** What this process writes now, in all stores that it opened. */
const beingWritten = new Set<string>();

export const beginWriting = (name: string): void => void beingWritten.add(name);
export const endWriting = (name: string): void => void beingWritten.delete(name);

/** Removes the files of writers that are gone. Other files in the folder are not touched. */
export async function sweepLeftovers(paths: BlobPaths): Promise<void> {
  const names = await onDisk('list unfinished files', () => readdir(paths.incoming));
  for (const name of names) {
    const path = join(paths.incoming, name);
    if (await isAbandoned(name, path)) await onDisk('remove an unfinished file', () => rm(path, { force: true }));
  }
}

async function isAbandoned(name: string, path: string): Promise<boolean> {
  const writer = writerOf(name);
  if (writer === undefined || beingWritten.has(name)) return false;
  // Of this very process, yet not being written: an earlier process had the same number, as in a restarted container.
  if (writer.sameMachine && (writer.processId === process.pid || !isRunning(writer.processId))) return true;
  const facts = await ifPresent('look at an unfinished file', () => stat(path));
  return facts !== undefined && Date.now() - facts.mtimeMs > ABANDONED_AFTER_MS;
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, and belongs to somebody else.
    return systemCode(error) !== 'ESRCH';
  }
}
