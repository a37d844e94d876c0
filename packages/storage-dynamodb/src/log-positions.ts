/** Positions of log entries: fixed-width text whose byte order is the order of appending. */
import { randomBytes } from 'node:crypto';
import type { LogPosition } from '@postern/ports';

/** Milliseconds, a count within them, and the handle that gave it, so that two handles never give the same. */
const POSITION = /^([0-9a-f]{12})([0-9a-f]{5})[0-9a-f]{16}$/;
const MAX_COUNT = 0xfffff;

export function isPosition(position: LogPosition): boolean {
  return POSITION.test(position);
}

/** Ever greater, also when the clock is set back. */
export class PositionGenerator {
  readonly #handle = randomBytes(8).toString('hex');
  #ms = 0;
  #count = 0;

  next(): LogPosition {
    this.#raise(Date.now(), 0);
    const position = `${hex(this.#ms, 12)}${hex(this.#count, 5)}${this.#handle}`;
    if (this.#count < MAX_COUNT) {
      this.#count += 1;
    } else {
      this.#ms += 1;
      this.#count = 0;
    }
    return position;
  }

  /** From now on only positions after this one are given. */
  follow(position: LogPosition): void {
    const [, ms = '0', count = '0'] = POSITION.exec(position) ?? [];
    this.#raise(Number.parseInt(ms, 16), Number.parseInt(count, 16) + 1);
  }

  #raise(ms: number, count: number): void {
    if (ms < this.#ms || (ms === this.#ms && count <= this.#count)) return;
    this.#ms = count > MAX_COUNT ? ms + 1 : ms;
    this.#count = count > MAX_COUNT ? 0 : count;
  }
}

function hex(value: number, width: number): string {
  return value.toString(16).padStart(width, '0');
}
