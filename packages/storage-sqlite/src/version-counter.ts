/**
 * Versions: one rising count for all keys of the file, so that a key deleted and re-created can't meet an old version.
 *
 * The file holds the end of a reserved block, not the last version given: a commit touches that page once in a block. A
 * restart begins after the block, so that versions have gaps and never repeat.
 */
import type { SqlDatabase, SqlStatement } from './driver.js';
import { integerOf } from './rows.js';

const BLOCK = 100_000;

export class VersionCounter {
  readonly #reserve: SqlStatement;
  #last: number;
  #reserved: number;

  constructor(database: SqlDatabase) {
    const row = database.prepare('SELECT reserved FROM version_counter WHERE id = 1').get();
    this.#reserve = database.prepare('UPDATE version_counter SET reserved = ? WHERE id = 1');
    this.#last = integerOf(row, 'reserved');
    this.#reserved = this.#last;
  }

  /** The next version. Call it inside the transaction that stores it: the reservation commits with its first use. */
  take(): number {
    if (this.#last === this.#reserved) {
      this.#reserved = this.#last + BLOCK;
      this.#reserve.run(this.#reserved);
    }
    this.#last += 1;
    return this.#last;
  }

  /** Continues after a version, in the file too. Call it outside a transaction. */
  startAfter(last: number): void {
    this.#reserve.run(last);
    this.#last = last;
    this.#reserved = last;
  }

  /** Call it when the transaction was rolled back: a reservation made in it is not in the file. */
  rolledBack(): void {
    this.#reserved = this.#last;
  }
}
