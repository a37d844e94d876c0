/**
 * One at a time for each key, within this process. Correctness never rests on it (every commit is conditional); it keeps
 * many logins of one instance from wasting each other's attempts.
 */
export interface KeyedSerializer {
  /** Runs `task` after every earlier task of the same key has ended, well or not. Tasks of other keys don't wait. */
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
}

export function createKeyedSerializer(): KeyedSerializer {
  /** The last task of each key that has any; never rejects. */
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(key, task) {
      const before = tails.get(key);
      const result = before === undefined ? task() : before.then(task);
      const ended = () => {
        if (tails.get(key) === tail) tails.delete(key);
      };
      const tail: Promise<unknown> = result.then(ended, ended);
      tails.set(key, tail);
      return result;
    },
  };
}
