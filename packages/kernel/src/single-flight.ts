/**
 * One call for all who ask the same question at the same time: a fleet that boots with one role asks once. A caller whose
 * signal fires stops waiting at once; the call itself is aborted when its last caller has left. Nothing is kept after it.
 */
export interface SingleFlight<T> {
  /** @throws what `ask` throws, the same for all callers; the signal's reason where that fires first. */
  run(key: string, ask: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal | undefined): Promise<T>;
}

interface Flight<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const flights = new Map<string, Flight<T>>();

  function takeOff(key: string, ask: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    const flight: Flight<T> = { result: ask(controller.signal), controller, waiting: 0 };
    flights.set(key, flight);
    const land = () => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    flight.result.then(land, land);
    return flight;
  }

  return {
    async run(key, ask, signal) {
      signal?.throwIfAborted();
      const flight = flights.get(key) ?? takeOff(key, ask);
      flight.waiting += 1;
      try {
        return await orAborted(flight.result, signal);
      } finally {
        flight.waiting -= 1;
        if (flight.waiting === 0 && flights.get(key) === flight) {
          flights.delete(key);
          flight.controller.abort();
        }
      }
    },
  };
}

async function orAborted<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return result;
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([result, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
