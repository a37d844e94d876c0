/** Reads a canonical archive back, by the letter of POSIX and without any of the code that wrote it. */
import { gunzipSync } from 'node:zlib';

export interface ReadTarEntry {
  readonly name: string;
  readonly type: string;
  readonly mode: string;
  readonly text: string;
}

export function readTarGz(archive: Uint8Array): readonly ReadTarEntry[] {
  const bytes = gunzipSync(archive);
  const text = (from: number, length: number) => bytes.toString('utf8', from, from + length).replace(/\0.*$/s, '');
  const entries: ReadTarEntry[] = [];
  let named: string | undefined;
  for (let at = 0; bytes[at] !== 0; ) {
    const type = text(at + 156, 1);
    const size = Number.parseInt(text(at + 124, 12), 8);
    const content = text(at + 512, size);
    at += 512;
    if (type === 'x') named = /^\d+ path=(.*)\n$/s.exec(content)?.[1];
    else {
      const prefix = text(at - 512 + 345, 155);
      const name = named ?? `${prefix}${prefix === '' ? '' : '/'}${text(at - 512, 100)}`;
      entries.push({ name, type, mode: text(at - 512 + 100, 8), text: content });
      named = undefined;
    }
    at += Math.ceil(size / 512) * 512;
  }
  return entries;
}
