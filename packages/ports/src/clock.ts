import type { CallOptions } from './shared.js';

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMillis = number;

/** The only source of the present. */
export interface Clock {
  now(): EpochMillis;
  /** Waits between tries; rejects with the signal's reason when it is aborted. Without it, tries follow each other at once. */
  sleep?(milliseconds: number, options?: CallOptions): Promise<void>;
}

/** What is known of this node's clock against a second one, such as that of a shared database. */
export interface ClockGuard {
  /** How far this node's clock is ahead of the other one, as last measured; undefined while that is not known. */
  skewMs(): number | undefined;
  /** Measures now. Resolves to undefined where the other clock does not answer. */
  measure(): Promise<number | undefined>;
}
