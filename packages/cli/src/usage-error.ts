/** Parses options, and the error of invalid usage. */
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Invalid usage. The message is for the terminal. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** Usage of the subcommand; undefined: that of the whole command. */
  readonly usage: string | undefined;

  constructor(message: string, usage?: string) {
    super(message);
    this.usage = usage;
  }
}

/** `parseArgs`, whose errors show the usage. @throws UsageError */
export function parseOptions<T extends ParseArgsConfig>(config: T, usage?: string): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError(parseProblem(error), usage);
  }
}

/** The message of `parseArgs` in lower case, without its advice for programmers. */
function parseProblem(error: unknown): string {
  const [problem = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
  return problem.charAt(0).toLowerCase() + problem.slice(1);
}
