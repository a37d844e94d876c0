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

/** The message of `parseArgs` in lower case, without its advice for programmers. */
export function parseProblem(error: unknown): string {
  const [problem = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
  return problem.charAt(0).toLowerCase() + problem.slice(1);
}
