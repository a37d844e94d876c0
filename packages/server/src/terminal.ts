/** The terminal of a command that runs a server: given by the command, so that one place knows descriptors and colours. */
import { createLog, type Log } from './log.js';

export interface Terminal {
  /** Both write before they return, so that no line is lost at an exit. */
  readonly printOut: (text: string) => void;
  readonly printError: (text: string) => void;
  /** Whether a person reads the standard error output. */
  readonly isInteractive: boolean;
  readonly wantsColour: boolean;
}

/** The log on the standard error output: plain where a person watches, JSON lines where a program does. */
export function terminalLog({ printError, isInteractive }: Terminal): Log {
  return createLog(printError, isInteractive ? 'plain' : 'json', Date.now);
}
