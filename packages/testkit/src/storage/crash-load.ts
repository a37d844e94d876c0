/**
 * The load behind the crash test of a durable storage, in two halves: one runs in a process that will be killed, the
 * other reads, after it, what the storage still holds.
 */
import assert from 'node:assert/strict';
import type { Operation, Storage } from '@postern/ports';

/** Keys of one commit: enough that a half-applied one would show. */
const KEYS = 4;

/** One acknowledged commit, as one line of text without a line end: `NAME VERSION VERSION …`. */
export type Acknowledgement = string;

/**
 * Commits until the process dies, several callers at once, and tells each commit once it is acknowledged.
 *
 * @param round distinguishes the keys of one life of the process from those of another.
 * @param acknowledge gets one line a commit. It must have left the process when this returns.
 */
export async function runCrashLoad(
  storage: Storage,
  round: string,
  acknowledge: (line: Acknowledgement) => void,
  callers = 8,
): Promise<never> {
  const work = async (caller: number): Promise<never> => {
    for (let count = 0; ; count += 1) {
      const name = `${round}-${caller}-${count}`;
      const operations = Array.from({ length: KEYS }, (_, part): Operation => {
        return { type: 'put', key: `crash/${name}/${part}`, value: `${name} ${'x'.repeat(200)}`, if: 'absent' };
      });
      const { versions } = await storage.commit(operations);
      acknowledge(`${name} ${versions.join(' ')}`);
    }
  };
  return Promise.race(Array.from({ length: callers }, (_, caller) => work(caller)));
}

/**
 * Checks a storage after the crash: every acknowledged commit is whole and as acknowledged, no other is half there.
 *
 * @param lines all acknowledgements of all rounds so far.
 * @returns how many commits the storage holds, acknowledged or not.
 * @throws AssertionError naming the commit that was lost or torn.
 */
export async function checkCrashLoad(storage: Storage, lines: readonly Acknowledgement[]): Promise<number> {
  const found = new Map<string, Map<string, string>>();
  let after: string | undefined;
  do {
    const page = await storage.list('crash/', { after, limit: 1000, values: true });
    for (const { record } of page.items) {
      assert.ok(record !== undefined, 'values were asked for');
      const [, name = '', part = ''] = record.key.split('/');
      assert.ok(record.value.startsWith(`${name} `), `the value of ${record.key} is another's`);
      found.set(name, (found.get(name) ?? new Map()).set(part, record.version));
    }
    after = page.next;
  } while (after !== undefined);
  for (const [name, parts] of found) assert.equal(parts.size, KEYS, `commit ${name} is half applied`);
  for (const line of lines) {
    const [name = '', ...versions] = line.split(' ');
    const parts = found.get(name);
    assert.ok(parts !== undefined, `acknowledged commit ${name} is lost`);
    assert.deepEqual(
      versions,
      Array.from({ length: KEYS }, (_, part) => parts.get(String(part))),
    );
  }
  return found.size;
}
