/** Shutdown: graceful on the first signal, at once on the second, and after an uncaught error. */
import { describeError, type Log, textIn } from './log.js';

/**
 * On SIGTERM or SIGINT runs `stop` and exits with 0, or with 1 when it fails. A second signal exits at once. An error
 * that nothing caught is logged and exits with 1, because the state it left is unknown.
 *
 * @param stop takes its time within bounds of its own.
 * @param more other signals that mean the same: `SIGHUP`, where it is a terminal that was closed.
 */
export function endOnSignals(stop: () => Promise<void>, log: Log, more: readonly NodeJS.Signals[] = []): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) {
      log('warning', 'stopping immediately', { signal });
      process.exit(1);
    }
    stopping = true;
    log('info', 'stopping', { signal });
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log('error', 'shutdown failed', describeError(error));
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT', ...more]) process.on(signal, onSignal);
}

/**
 * The same for a worker: it ends when its server says so. A signal to all processes of a service reaches it too, once more or before; one to
 * it alone ends it in order, and another takes its place.
 */
export function endWithServer(stop: () => Promise<void>, log: Log, onStop: (stop: () => void) => void): void {
  let isStopping = false;
  const begin = () => {
    if (isStopping) return;
    isStopping = true;
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log('error', 'shutdown failed', describeError(error));
        process.exit(1);
      },
    );
  };
  onStop(begin);
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, begin);
}

/** @param log must write before it returns: the process ends right after. */
export function endOnUncaught(log: Log): void {
  const end = (error: unknown) => {
    log('error', 'uncaught error; exiting', describeError(error));
    process.exit(1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}

/**
 * Warnings of Node and of libraries (an old Node, an experimental module) as lines of the log: Node would print plain text among
 * JSON lines.
 */
export function logProcessWarnings(log: Log): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    const text = warning.message
      .replace(/\/\/[^\s/@]*@/g, '//')
      .split('\n')[0]
      ?.slice(0, MAX_WARNING_CHARACTERS);
    log('warning', 'warning of the process', { warning: warning.name, code: textIn(warning, 'code'), text });
  });
}

const MAX_WARNING_CHARACTERS = 300;
