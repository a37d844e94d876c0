/** The operator's log: one line for each event, JSON unless a terminal reads it. Never given a secret. */

export type LogLevel = 'info' | 'warning' | 'error';

/** Facts of a line by name: texts, numbers and truth values only, so that no object can carry a secret in. */
export type LogFacts = Readonly<Record<string, string | number | boolean | undefined>>;

export type Log = (level: LogLevel, message: string, facts?: LogFacts) => void;

/**
 * @param write takes one line with its line end.
 * @param now epoch milliseconds.
 */
export function createLog(write: (line: string) => void, format: 'json' | 'plain', now: () => number): Log {
  return (level, message, facts = {}) => {
    const time = new Date(now()).toISOString();
    if (format === 'json') {
      write(`${JSON.stringify({ time, level, message, ...facts })}\n`);
      return;
    }
    const tail = Object.entries(facts).map(([name, value]) => (value === undefined ? '' : ` ${name}=${value}`));
    write(`${time} ${level === 'info' ? '' : `${level}: `}${message}${tail.join('')}\n`);
  };
}

/** Facts of an unexpected error: name, code and stack, never its message or data, which may quote secrets. */
export function describeError(error: unknown): LogFacts {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const reason = 'reason' in error && typeof error.reason === 'string' ? error.reason : undefined;
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  const at = frames
    .slice(0, 4)
    .map((line) => line.trim().slice('at '.length))
    .join(' < ');
  const { cause } = error;
  const causeCode =
    cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  const causeName = cause instanceof Error ? cause.name : undefined;
  return { error: error.name, code, reason, cause: causeName, cause_code: causeCode, at };
}
