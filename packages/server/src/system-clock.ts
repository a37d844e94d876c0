/** The machine's time: the Clock port, and waiting. */
import { setTimeout as wait } from 'node:timers/promises';
import type { CallOptions, Clock } from '@postern/ports';

export const systemClock: Clock = { now: () => Date.now() };

/** Waits. Rejects with the signal's reason when it is aborted. */
export async function sleep(milliseconds: number, options: CallOptions = {}): Promise<void> {
  await wait(milliseconds, undefined, options.signal === undefined ? {} : { signal: options.signal });
}
