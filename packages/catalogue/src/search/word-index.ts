/**
 * An inverted index of modules in memory: the words of each, by weight, and its address. Bounded by postings (a word of a module is
 * one), each some 16 bytes; measured against MiniSearch in docs/adr/0021-search-by-an-index-in-memory.md. No call takes longer than some
 * milliseconds.
 */

/** How much a word counts, by where it stands. */
export const WEIGHTS = { readme: 1, input: 2, description: 3 } as const;
export type Weight = (typeof WEIGHTS)[keyof typeof WEIGHTS];

/** Where a word is the namespace, the name or the provider; and where it is a part of the address. */
const IS_PART = 10;
const IN_ADDRESS = 8;

/** Words of a search beyond these are ignored. */
const MAX_WORDS = 8;
const MAX_TERM_CHARACTERS = 40;
/** Shorter terms match whole ones only: too many begin like them. */
const PREFIX_CHARACTERS = 3;

export interface IndexedModule {
  readonly namespace: string;
  readonly name: string;
  readonly provider: string;
}

export interface WordIndex {
  /** Adds a module, or puts other words in the place of its words. @param key in the order of which equal hits are answered. */
  set(key: string, module: IndexedModule, words: ReadonlyMap<string, Weight>): void;
  remove(key: string): void;
  /** Keys of modules that have all words, best first. */
  find(words: string, accepts: (module: IndexedModule) => boolean, most: number): readonly string[];
  /** Postings held. */
  readonly size: number;
}

/** What texts are cut into: letters and digits, in lower case. */
export function* termsOf(text: string): Generator<string, void, undefined> {
  for (const [term] of text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}]+/gu)) {
    if (term.length > 1 && term.length <= MAX_TERM_CHARACTERS) yield term;
  }
}

interface Entry {
  readonly key: string;
  readonly module: IndexedModule;
  /** In lower case, as it is looked for. */
  readonly address: string;
  readonly slot: number;
  readonly terms: Uint32Array;
}

interface Term {
  readonly text: string;
  /** Slot and weight of each module that has it: `slot * 4 + weight`. */
  readonly postings: number[];
}

/** @param maxPostings words beyond are not kept: then a module is found by those before, and by its address. */
export function createWordIndex(maxPostings = 4_000_000): WordIndex {
  const entries = new Map<string, Entry>();
  /** In order of their keys. */
  const ordered: Entry[] = [];
  const freeSlots: number[] = [];
  const ids = new Map<string, number>();
  const terms: (Term | undefined)[] = [];
  const freeTerms: number[] = [];
  /** Ids of the terms that begin with the same characters. */
  const byPrefix = new Map<string, number[]>();
  let slots = 0;
  let size = 0;

  function idOf(text: string): number {
    const known = ids.get(text);
    if (known !== undefined) return known;
    // A copy: a part of a text keeps all of that text in memory.
    const own = Buffer.from(text).toString();
    const id = freeTerms.pop() ?? terms.length;
    terms[id] = { text: own, postings: [] };
    ids.set(own, id);
    const prefix = own.slice(0, PREFIX_CHARACTERS);
    const alike = byPrefix.get(prefix);
    if (alike === undefined) byPrefix.set(prefix, [id]);
    else alike.push(id);
    return id;
  }

  function forget(id: number, { text }: Term): void {
    terms[id] = undefined;
    ids.delete(text);
    freeTerms.push(id);
    const prefix = text.slice(0, PREFIX_CHARACTERS);
    const alike = byPrefix.get(prefix) ?? [];
    if (alike.length === 1) byPrefix.delete(prefix);
    else removeItem(alike, alike.indexOf(id));
  }

  /** Where the key is among the entries, or would be. */
  function placeOf(key: string): number {
    let [low, high] = [0, ordered.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ordered[middle]?.key ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function remove(key: string): void {
    const entry = entries.get(key);
    if (entry === undefined) return;
    for (const id of entry.terms) {
      const term = terms[id];
      if (term === undefined) continue;
      const { postings } = term;
      removeItem(
        postings,
        postings.findIndex((posting) => posting >>> 2 === entry.slot),
      );
      if (postings.length === 0) forget(id, term);
    }
    size -= entry.terms.length;
    entries.delete(key);
    ordered.splice(placeOf(key), 1);
    freeSlots.push(entry.slot);
  }

  /** How well each module has the term, by slot; 0: not at all. */
  function scoresOf(text: string): Uint8Array {
    const scores = new Uint8Array(slots);
    const whole = ids.get(text);
    const wanted =
      text.length < PREFIX_CHARACTERS
        ? whole === undefined
          ? []
          : [whole]
        : (byPrefix.get(text.slice(0, PREFIX_CHARACTERS)) ?? []);
    for (const id of wanted) {
      const term = terms[id];
      if (term === undefined || !term.text.startsWith(text)) continue;
      for (const posting of term.postings) {
        const score = (posting & 3) * 2 + (id === whole ? 1 : 0);
        if (score > (scores[posting >>> 2] ?? 0)) scores[posting >>> 2] = score;
      }
    }
    return scores;
  }

  /** What a word adds to the score of a module, 0 where it is not found. */
  function scorer(word: string): (entry: Entry) => number {
    const parts = [...termsOf(word)].map(scoresOf);
    return ({ slot, address, module: { namespace, name, provider } }) => {
      if (address.includes(word)) {
        return [namespace, name, provider].some((part) => part.toLowerCase() === word) ? IS_PART : IN_ADDRESS;
      }
      return parts.length === 0 ? 0 : Math.min(...parts.map((scores) => scores[slot] ?? 0));
    };
  }

  return {
    get size() {
      return size;
    },
    remove,
    set(key, module, words) {
      remove(key);
      const slot = freeSlots.pop() ?? slots++;
      const kept = new Uint32Array(Math.min(words.size, Math.max(0, maxPostings - size)));
      let at = 0;
      for (const [word, weight] of words) {
        if (at === kept.length) break;
        const id = idOf(word);
        terms[id]?.postings.push(slot * 4 + weight);
        kept[at] = id;
        at += 1;
      }
      size += kept.length;
      const address = `${module.namespace}/${module.name}/${module.provider}`.toLowerCase();
      const entry = { key, module, address, slot, terms: kept };
      entries.set(key, entry);
      ordered.splice(placeOf(key), 0, entry);
    },
    find(words, accepts, most) {
      const asked = words.normalize('NFKC').toLowerCase().trim().split(/\s+/).slice(0, MAX_WORDS);
      const scorers = [...new Set(asked)].map(scorer);
      const byScore = new Map<number, string[]>();
      for (const entry of ordered) {
        if (!accepts(entry.module)) continue;
        let total = 0;
        for (const score of scorers) {
          const added = score(entry);
          total = added === 0 ? 0 : total + added;
          if (added === 0) break;
        }
        if (total === 0) continue;
        const equal = byScore.get(total);
        if (equal === undefined) byScore.set(total, [entry.key]);
        else equal.push(entry.key);
      }
      const bestFirst = [...byScore].sort(([left], [right]) => right - left);
      return bestFirst.flatMap(([, equal]) => equal).slice(0, most);
    },
  };
}

/** Order does not matter: the last takes the place. */
function removeItem<T>(items: T[], at: number): void {
  const last = items.pop();
  if (last !== undefined && at >= 0 && at < items.length) items[at] = last;
}
