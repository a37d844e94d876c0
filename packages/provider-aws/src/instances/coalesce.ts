/**
 * Questions of the same kind that come within a few milliseconds travel as one (INSTANCE-3). A question that is asked
 * twice meanwhile is asked once. Each caller waits by its own patience; the call itself ends by its own deadline.
 */

export interface CoalesceOptions {
  readonly waitMs: number;
  readonly maxBatch: number;
}

/** @returns asks for one id; what `askAll` throws reaches everybody in the batch */
export function createCoalescer<T>(
  options: CoalesceOptions,
  askAll: (ids: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (id: string) => Promise<T | undefined> {
  interface Batch {
    readonly ids: Set<string>;
    readonly answer: Promise<ReadonlyMap<string, T>>;
    send(): void;
  }
  let open: Batch | undefined;

  function start(): Batch {
    const ids = new Set<string>();
    let depart: () => void = () => undefined;
    const departed = new Promise<void>((resolve) => {
      depart = resolve;
    });
    const answer = departed.then(() => askAll([...ids]));
    const batch: Batch = {
      ids,
      answer,
      send() {
        clearTimeout(timer);
        if (open === batch) open = undefined;
        depart();
      },
    };
    const timer = setTimeout(batch.send, options.waitMs);
    return batch;
  }

  return async (id) => {
    const batch = open ?? start();
    open = batch;
    batch.ids.add(id);
    if (batch.ids.size >= options.maxBatch) batch.send();
    return (await batch.answer).get(id);
  };
}
