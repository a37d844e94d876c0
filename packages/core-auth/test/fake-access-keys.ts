/** The keys of one user of the provider: two at most, each of them usable some tries after it was made. */
import { type AccessKeyPair, type AccessKeys, ProviderError } from '@postern/ports';

export type KeyCall = keyof AccessKeys;

export interface FakeAccessKeys extends AccessKeys {
  /** Ids of the keys that there are. */
  readonly ids: () => readonly string[];
  readonly secretOf: (id: string) => string | undefined;
  readonly calls: KeyCall[];
  /** Called before each call takes effect, and after it. Throws to fail it. */
  trouble: (call: KeyCall, when: 'before' | 'after') => void | Promise<void>;
  /** A new key is refused so many times. */
  refusals: number;
  add(id: string, secret: string): void;
  remove(id: string): void;
}

export const OLD_KEY: AccessKeyPair = { accessKeyId: 'AKIAOLDOLDOLDOLDOLD1', secretAccessKey: 'canary-old-secret' };

/** Ids count up; secrets begin with `canary-`, so that a test can look for them. */
export function createFakeAccessKeys(): FakeAccessKeys {
  const secrets = new Map([[OLD_KEY.accessKeyId, OLD_KEY.secretAccessKey]]);
  const refusalsLeft = new Map<string, number>();
  let made = 0;

  const check = (pair: AccessKeyPair): void => {
    if (secrets.get(pair.accessKeyId) !== pair.secretAccessKey) throw new ProviderError('denied', 'an unknown key');
  };
  async function act<T>(call: KeyCall, effect: () => T): Promise<T> {
    keys.calls.push(call);
    await keys.trouble(call, 'before');
    const result = effect();
    await keys.trouble(call, 'after');
    return result;
  }

  const keys: FakeAccessKeys = {
    calls: [],
    refusals: 0,
    trouble: () => undefined,
    ids: () => [...secrets.keys()],
    secretOf: (id) => secrets.get(id),
    add: (id, secret) => secrets.set(id, secret),
    remove: (id) => secrets.delete(id),
    create: (current) =>
      act('create', () => {
        check(current);
        if (secrets.size >= 2) return undefined;
        made += 1;
        const pair = { accessKeyId: `AKIANEWNEWNEWNEWNEW${made}`, secretAccessKey: `canary-new-secret-${made}` };
        secrets.set(pair.accessKeyId, pair.secretAccessKey);
        refusalsLeft.set(pair.accessKeyId, keys.refusals);
        return pair;
      }),
    prove: (pair) =>
      act('prove', () => {
        const left = refusalsLeft.get(pair.accessKeyId) ?? 0;
        refusalsLeft.set(pair.accessKeyId, left - 1);
        return left <= 0 && secrets.get(pair.accessKeyId) === pair.secretAccessKey;
      }),
    list: (current) =>
      act('list', () => {
        check(current);
        return [...secrets.keys()];
      }),
    delete: (current, id) =>
      act('delete', () => {
        check(current);
        secrets.delete(id);
      }),
  };
  return keys;
}
