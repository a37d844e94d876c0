/** How often which command ended in which way: shows that a run of the model met what it is there to meet. */
export interface Tally {
  count(command: string, code: string, fault?: string): void;
  /** `login ok`, `login nonce_mismatch`, `fault applied_unknown`, each with its number. */
  entries(): ReadonlyMap<string, number>;
}

export function createTally(): Tally {
  const counts = new Map<string, number>();
  const add = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  return {
    count(command, code, fault) {
      add(`${command} ${code}`);
      if (fault !== undefined) add(`fault ${fault}`);
    },
    entries: () => new Map([...counts].sort(([left], [right]) => (left < right ? -1 : 1))),
  };
}
