/** A module's archive made from texts: for tests, sandboxes and benchmarks that publish. */
import { gzipSync } from 'node:zlib';

const BLOCK_BYTES = 512;

/**
 * A `.tar.gz` of these files. The same files are the same bytes, every time: nothing of now or of this machine is in it,
 * and it is not compressed.
 *
 * @param files content by path: `main.tf`, `modules/subnet/main.tf`. A path has at most 100 ASCII characters.
 * @throws TypeError for other paths.
 * @example
 * ```ts
 * const archive = createModuleArchive({ 'main.tf': 'variable "cidr" {}\n', 'README.md': '# Network\n' });
 * ```
 */
export function createModuleArchive(files: Readonly<Record<string, string>>): Uint8Array {
  const entries = Object.entries(files).flatMap(([path, content]) => {
    const bytes = Buffer.from(content);
    return [headerOf(path, bytes.length), bytes, Buffer.alloc(-bytes.length & (BLOCK_BYTES - 1))];
  });
  return new Uint8Array(gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK_BYTES)]), { level: 0 }));
}

/** ustar (POSIX.1-1988): numbers are octal text. */
function headerOf(path: string, sizeBytes: number): Buffer {
  if (!/^[\x21-\x7e]{1,100}$/.test(path)) throw new TypeError('a path has 1 to 100 ASCII characters');
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  header.write(path, 0);
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(sizeBytes, 11), 124);
  header.write(octal(0, 11), 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)} `, 148);
  return header;
}
