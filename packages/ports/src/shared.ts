/** A value now or a promise of it: a port may be synchronous where its surroundings are. */
export type Awaitable<T> = T | Promise<T>;

/** Options that every call across a port takes. */
export interface CallOptions {
  /** Aborting gives up waiting. A call that was not yet sent has no effect; one that was may still have it. */
  readonly signal?: AbortSignal | undefined;
}
