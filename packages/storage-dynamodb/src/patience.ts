/** The time of one call of the port, over all its attempts. */
import { setTimeout as delay } from 'node:timers/promises';

const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 400;
/** With less time no request is sent: its answer would hardly come in time, and the outcome of a commit be unknown. */
export const MIN_REQUEST_MS = 100;

/** How one call of the port spends its time: pauses double and differ, and end with the time that it has. */
export class Patience {
  readonly #deadline: number;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(deadline: number) {
    this.#deadline = deadline;
  }

  get leftMs(): number {
    return this.#deadline - performance.now();
  }

  /** Whether another request makes sense. */
  get hasTime(): boolean {
    return this.leftMs >= MIN_REQUEST_MS;
  }

  /** @returns false once the time is over; otherwise after a pause. */
  async again(maxPauseMs = MAX_PAUSE_MS): Promise<boolean> {
    const pauseMs = Math.min(this.#pauseMs, maxPauseMs) * (0.5 + Math.random());
    this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS);
    if (this.leftMs < pauseMs + MIN_REQUEST_MS) return false;
    await delay(pauseMs);
    return true;
  }
}
