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
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  const at = frames
    .slice(0, 4)
    .map((line) => line.trim().slice('at '.length))
    .join(' < ');
  const { cause } = error;
  return {
    error: error.name,
    code: textIn(error, 'code'),
    reason: textIn(error, 'reason'),
    cause: cause instanceof Error ? cause.name : undefined,
    cause_code: textIn(cause, 'code'),
    at,
  };
}

/** A member that its class or its maker added: undefined where it is no text. */
export function textIn(error: unknown, member: string): string | undefined {
  const value: unknown = error instanceof Error ? Reflect.get(error, member) : undefined;
  return typeof value === 'string' ? value : undefined;
}
