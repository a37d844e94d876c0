/** The terminal: what a command prints. Lines are written before the call returns, so that none is lost at an exit. */
import { writeSync } from 'node:fs';
import { createLog, type Log } from './log.js';

const STDOUT = 1;
const STDERR = 2;

export function printOut(text: string): void {
  writeAll(STDOUT, text);
}

export function printError(text: string): void {
  writeAll(STDERR, text);
}

/** The log on the standard error output: plain where a person watches, JSON lines where a program does. */
export function terminalLog(): Log {
  return createLog(printError, process.stderr.isTTY ? 'plain' : 'json', Date.now);
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
      // A pipe whose reader is slow: try again. One whose reader has gone: there is nobody left to tell.
      if (code === 'EAGAIN') continue;
      if (code === 'EPIPE') return;
      throw error;
    }
  }
}
