/** A time limit that holds on Node 20. */

/** What ended the work, where something did. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Whether the time ran out. */
  isLate(): boolean;
}

/**
 * Runs work under a signal that aborts after `timeoutMs`, or with `end`. Node 20 collects the signals of `AbortSignal.any` and
 * `AbortSignal.timeout` while they are waited for, so timer and controller are held here.
 */
export async function withTimeLimit<T>(
  timeoutMs: number,
  end: AbortSignal | undefined,
  work: (limit: TimeLimit) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    controller.abort(new DOMException('timed out', 'TimeoutError'));
  }, timeoutMs);
  const stop = () => controller.abort(end?.reason);
  end?.addEventListener('abort', stop, { once: true });
  if (end?.aborted === true) stop();
  try {
    return await work({ signal: controller.signal, isLate: () => late });
  } finally {
    clearTimeout(timer);
    end?.removeEventListener('abort', stop);
  }
}
