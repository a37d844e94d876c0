/**
 * Questions of the same kind that come while another call is under way travel as one (INSTANCE-3): when that call ends, when a
 * few milliseconds have passed, or when there are as many as fit, whichever is first. Who asks alone does not wait. A question that is
 * asked twice meanwhile is asked once. Each caller waits by its own patience; the call itself ends by its own deadline.
 */

export interface CoalesceOptions {
  /** At most, beside a call under way. */
  readonly waitMs: number;
  readonly maxBatch: number;
}

interface Batch<T> {
  readonly ids: Set<string>;
  readonly answer: Promise<ReadonlyMap<string, T>>;
  /** Idempotent. */
  send(): void;
}

/** @returns asks for one id; what `askAll` throws reaches everybody in the batch */
export function createCoalescer<T>(
  options: CoalesceOptions,
  askAll: (ids: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (id: string) => Promise<T | undefined> {
  let open: Batch<T> | undefined;
  let underWay = 0;

  function start(): Batch<T> {
    let depart: () => void = () => undefined;
    const departed = new Promise<void>((resolve) => {
      depart = resolve;
    });
    const batch: Batch<T> = {
      ids: new Set(),
      // In a microtask: what is asked in the same turn is in it by then.
      answer: departed.then(() => call(batch)),
      send() {
        clearTimeout(timer);
        depart();
      },
    };
    const timer = underWay === 0 ? undefined : setTimeout(batch.send, options.waitMs);
    if (underWay === 0) depart();
    return batch;
  }

  async function call(batch: Batch<T>): Promise<ReadonlyMap<string, T>> {
    if (open === batch) open = undefined;
    underWay += 1;
    try {
      return await askAll([...batch.ids]);
    } finally {
      underWay -= 1;
      if (underWay === 0) open?.send();
    }
  }

  return async (id) => {
    open ??= start();
    const batch = open;
    batch.ids.add(id);
    if (batch.ids.size >= options.maxBatch) {
      open = undefined;
      batch.send();
    }
    return (await batch.answer).get(id);
  };
}
