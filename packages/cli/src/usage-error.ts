/** A command line that cannot be meant. The message is for the terminal. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** What could be meant, where that is not the usage of the whole command. */
  readonly usage: string | undefined;

  constructor(message: string, usage?: string) {
    super(message);
    this.usage = usage;
  }
}

/** What `parseArgs` has to say, without the advice behind it, which is for those who program it. */
export function parseProblem(error: unknown): string {
  const [problem = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
  return problem;
}
