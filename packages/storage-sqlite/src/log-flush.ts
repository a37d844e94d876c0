/**
 * Makes committed groups durable in a thread of libuv's pool, so that a slow disk holds up those who wait for it and nobody else.
 * SQLite itself writes a commit to its write-ahead log without a flush (`synchronous = NORMAL`); a commit is durable once that file is.
 */
import { close, fdatasync, open } from 'node:fs';
import { promisify } from 'node:util';
import type { SqliteDriver } from './driver.js';

const flushFile = promisify(fdatasync);

export class LogFlush {
  readonly #file: string;
  readonly #flush: (descriptor: number) => Promise<void>;
  #descriptor: number | undefined;

  /** @param file the database; its log stands beside it for as long as a connection is open. */
  constructor(file: string, { flush = flushFile }: Pick<SqliteDriver, 'flush'>) {
    this.#file = file;
    this.#flush = flush;
  }

  /** @throws Error of the system; what was written since the last flush may then be lost. */
  async flush(): Promise<void> {
    // SQLite takes no lock on this file: to open it and to close it releases none of its locks.
    this.#descriptor ??= await promisify(open)(`${this.#file}-wal`, 'r+');
    await this.#flush(this.#descriptor);
  }

  close(): void {
    if (this.#descriptor !== undefined) close(this.#descriptor);
    this.#descriptor = undefined;
  }
}
