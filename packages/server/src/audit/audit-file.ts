/** The audit log in a file, and on a stream (AUDIT-5): JSON lines, appended in order, synchronized to disk. */
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type ClosableAuditSink, createAuditLines } from './audit-lines.js';
import { CHAIN_START, type ChainEnd, readChainedLine } from './hash-chain.js';

const OWNER_ONLY = 0o600;
const NEWLINE = 0x0a;
/** Of the end of a file: holds more events than ever come again after a crash. */
const TAIL_BYTES = 8 * 1024 * 1024;

/**
 * Opens the file for appending, creating it readable by its owner alone. Part of a line at its end, which a crash or a full
 * disk left, is cut off: its event comes again. The chain goes on from the last line, or that of the file it was renamed to.
 */
export async function openAuditFile(file: string): Promise<ClosableAuditSink> {
  const opened = await openAtEnd(file);
  let { handle, size } = opened;
  const chained = opened.lines.flatMap((line) => readChainedLine(line) ?? []);
  return createAuditLines({
    name: `file ${file}`,
    chainEnd: chained.at(-1) ?? (await chainOfRenamed(file)),
    known: new Set(chained.map(({ id }) => id)),
    async append(text) {
      try {
        await handle.appendFile(text);
        await handle.datasync();
        size += Buffer.byteLength(text);
      } catch (error) {
        // Whatever came through is written again: nothing stands there twice, and no line runs into another.
        await cutTo(handle, size).catch(() => undefined);
        throw error;
      }
    },
    async reopen() {
      const old = handle;
      ({ handle, size } = await openAtEnd(file));
      await old.close();
    },
    release: () => handle.close(),
  });
}

/** Ready for what is appended: without part of a line at its end. */
async function openAtEnd(file: string): Promise<{ handle: FileHandle; size: number; lines: readonly string[] }> {
  const handle = await open(file, 'a+', OWNER_ONLY);
  try {
    const tail = await readTail(handle);
    await cutTo(handle, tail.size);
    return { handle, ...tail };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The same to a stream: the standard output of a container, whose collector keeps it. */
export function createAuditStream(stream: NodeJS.WritableStream): ClosableAuditSink {
  // A reader that is gone fails the events, one by one, and must not end the process.
  stream.on?.('error', () => undefined);
  let torn = false;
  return createAuditLines({
    name: 'stdout',
    async append(lines) {
      try {
        // After a write that failed part of a line may stand there: the next must not run into it.
        await write(stream, (torn ? '\n' : '') + lines);
        torn = false;
      } catch (error) {
        torn = true;
        throw error;
      }
    },
  });
}

function write(stream: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** The whole lines at the end of a file, and its size up to the end of the last. */
async function readTail(handle: FileHandle): Promise<{ size: number; lines: readonly string[] }> {
  const { size } = await handle.stat();
  // A pipe or a device has no end to read.
  if (size === 0) return { size, lines: [] };
  const start = Math.max(0, size - TAIL_BYTES);
  const tail = Buffer.alloc(size - start);
  await handle.read(tail, 0, tail.length, start);
  const end = tail.lastIndexOf(NEWLINE) + 1;
  const text = tail.subarray(0, end).toString('utf8');
  // The first may have been cut in two by the limit.
  return { size: start + end, lines: text.split('\n').slice(start === 0 ? 0 : 1, -1) };
}

async function cutTo(handle: FileHandle, size: number): Promise<void> {
  const now = await handle.stat();
  if (now.isFile() && now.size > size) await handle.truncate(size);
}

/** Of `audit.log.1`, `audit.log-20260101` and the like: renamed while no server ran. */
async function chainOfRenamed(file: string): Promise<ChainEnd> {
  const folder = dirname(file);
  const names = (await readdir(folder)).filter((name) => name.startsWith(basename(file)) && name !== basename(file));
  const dated = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })));
  const [latest] = dated.sort((a, b) => b.at - a.at);
  if (latest === undefined) return CHAIN_START;
  const handle = await open(join(folder, latest.name), 'r').catch(() => undefined);
  if (handle === undefined) return CHAIN_START;
  try {
    const { lines } = await readTail(handle);
    return readChainedLine(lines.at(-1) ?? '') ?? CHAIN_START;
  } finally {
    await handle.close();
  }
}
