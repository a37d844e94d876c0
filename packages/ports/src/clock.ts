import type { CallOptions } from './shared.js';

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMillis = number;

/** The only source of the present. */
export interface Clock {
  now(): EpochMillis;
  /** Waits between tries; rejects with the signal's reason when it is aborted. Without it, tries follow each other at once. */
  sleep?(milliseconds: number, options?: CallOptions): Promise<void>;
}
