/** The terminal: what a command prints. Lines are written before the call returns, so that none is lost at an exit. */
import { writeSync } from 'node:fs';
import type { Terminal } from '@postern/server/command';

const STDOUT = 1;
const STDERR = 2;

export function printOut(text: string): void {
  writeAll(STDOUT, text);
}

export function printError(text: string): void {
  writeAll(STDERR, text);
}

/** The terminal as the server and the sandbox take it. */
export function terminal(): Terminal {
  return { printOut, printError, isInteractive: process.stderr.isTTY === true, wantsColour: wantsColour() };
}

/** Colours only for a person, and not for one who declined them (https://no-color.org). */
export function wantsColour(): boolean {
  const { NO_COLOR } = process.env;
  return process.stdout.isTTY === true && (NO_COLOR === undefined || NO_COLOR === '');
}

function writeAll(descriptor: number, text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      // EAGAIN: the reader of the pipe is slow. EPIPE: it is gone.
      if (code === 'EAGAIN') continue;
      if (code === 'EPIPE') return;
      throw error;
    }
  }
}
