/**
 * One at a time for each key, within this process. It keeps many commands upon one version from wasting each other's
 * attempts, their events in the order of the history, and a version's deletion and publication from each other. Statuses
 * rest on conditional commits and not on this.
 */
export type RunInTurn = <T>(key: string, task: () => Promise<T>) => Promise<T>;

/** Runs each task after every earlier task of the same key has ended, well or not. Tasks of other keys don't wait. */
export function createKeyedSerializer(): RunInTurn {
  /** The last task of each key that has any; never rejects. */
  const tails = new Map<string, Promise<void>>();
  return (key, task) => {
    const before = tails.get(key) ?? Promise.resolve();
    const result = before.then(task);
    const tail: Promise<void> = result.then(
      () => ended(),
      () => ended(),
    );
    const ended = () => {
      if (tails.get(key) === tail) tails.delete(key);
    };
    tails.set(key, tail);
    return result;
  };
}
