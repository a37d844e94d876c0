/** A disk of its own, small enough to fill: a file system in memory. Needs root. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface Disk {
  readonly folder: string;
  fill(): void;
  free(): void;
  unmount(): void;
}

export function mountDisk(folder: string, size: string, mode = '700'): Disk {
  const filler = join(folder, 'filler');
  mkdirSync(folder);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=${mode}`, 'tmpfs', folder]);
  return {
    folder,
    fill() {
      const file = openSync(filler, 'w');
      try {
        for (const bytes of [1_048_576, 65_536, 4_096, 512, 1]) fillWith(file, Buffer.alloc(bytes));
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(filler, { force: true }),
    unmount: () => execFileSync('umount', ['-l', folder]),
  };
}

function fillWith(file: number, bytes: Buffer): void {
  try {
    for (;;) writeSync(file, bytes);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}
