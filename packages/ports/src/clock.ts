/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMillis = number;

/** The only source of the present. */
export interface Clock {
  now(): EpochMillis;
}
