/** The file system, as far as this package knows it: one text, with a bound on its size, and the names in a folder. */
import { open, readdir } from 'node:fs/promises';

/**
 * @returns undefined where the file is missing.
 * @throws RangeError where it is larger; otherwise the error of the file system.
 */
export async function readTextFile(path: string, maxBytes: number): Promise<string | undefined> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) {
      return undefined;
    }
    throw error;
  }
  try {
    // Read before it is measured: a pipe or a file in /proc has no size.
    const buffer = Buffer.alloc(64 * 1024);
    const chunks: Buffer[] = [];
    let total = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      // Editors of Windows begin files with a byte order mark, which no parser expects: the decoder leaves it out.
      if (bytesRead === 0) return new TextDecoder().decode(Buffer.concat(chunks));
      total += bytesRead;
      if (total > maxBytes) throw new RangeError(`the file has more than ${maxBytes} bytes`);
      chunks.push(Buffer.from(buffer.subarray(0, bytesRead)));
    }
  } finally {
    await file.close();
  }
}

/** @throws the error of the file system. */
export function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder);
}
