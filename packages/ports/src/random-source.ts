/** Cryptographically secure randomness. */
export interface RandomSource {
  /** Returns `length` fresh, unpredictable bytes. */
  bytes(length: number): Uint8Array;
}
