/** Limits how many tasks run at once; the others wait in order. */

export type Limit = <T>(work: () => Promise<T>) => Promise<T>;

export function limitConcurrency(most: number): Limit {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < most) running += 1;
    // A finished task hands its place on, so the count stays.
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
