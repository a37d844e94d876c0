/**
 * Search for modules (MODULE-11), by an index in memory of the newest version of each. Many processes share a storage, so each search
 * asks whether anything was published or deleted since, by the record of each organization that every such commit changes: one read
 * where nothing was. Modules that changed are read again, their contents one by one in the background; a search waits for that at
 * most `MAX_WAIT_MS` and answers then with what is known. What is answered is read from the records of modules: never from memory.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type ListedModule,
  type ModuleSearch,
  type ModuleVersionAddress,
  type ModuleVersionDetails,
  STORAGE_LIMITS,
  type StoredRecord,
  type Version,
} from '@postern/ports';
import { factsOf } from '../store/newest-version.js';
import { type CatalogueContext, isNamespace, ofStorage, pagesOf } from '../store/records.js';
import { readDetails } from '../store/version-contents.js';
import { createWordIndex, type IndexedModule, termsOf, WEIGHTS, type Weight } from './word-index.js';

const MAX_WAIT_MS = 250;

/** Further modules are not found by search. */
const MAX_MODULES = 50_000;

/** Different words of one module; those of READMEs come last. */
const MAX_WORDS = 5_000;

/** Contents that could not be read are tried again after this time. */
const RETRY_MS = 60_000;

/** A module that changed, with what is to be read of it. */
interface Pending {
  readonly module: IndexedModule;
  readonly address: ModuleVersionAddress;
  readonly notBefore: number;
}

export type SearchModules = (query: ModuleSearch, signal: AbortSignal | undefined) => Promise<readonly ListedModule[]>;

export function createModuleSearch(context: CatalogueContext): SearchModules {
  const { keys, storage, clock } = context;
  const index = createWordIndex();
  /** By organization: the version that its record had before its modules were read. */
  const marks = new Map<string, Version | undefined>();
  /** By organization and key: the version of the module's record. */
  const known = new Map<string, Map<string, Version>>();
  const pending = new Map<string, Pending>();
  let modules = 0;
  let walks: Promise<void> = Promise.resolve();
  let reading: Promise<void> | undefined;

  const getMany = async (asked: readonly string[], signal?: AbortSignal) => {
    const found: (StoredRecord | undefined)[] = [];
    for (let from = 0; from < asked.length; from += STORAGE_LIMITS.maxGetMany) {
      const some = asked.slice(from, from + STORAGE_LIMITS.maxGetMany);
      found.push(...(await ofStorage(() => storage.getMany(some, { signal }))));
    }
    return found;
  };

  /** Organizations whose modules are not what was read, with the versions of their records now. */
  async function changed(namespaces: readonly string[], signal?: AbortSignal) {
    const records = await getMany(namespaces.map(keys.usage), signal);
    return namespaces
      .map((namespace, at) => ({ namespace, mark: records[at]?.version }))
      .filter(({ namespace, mark }) => !marks.has(namespace) || marks.get(namespace) !== mark);
  }

  async function walk(namespace: string, mark: Version | undefined): Promise<void> {
    const before = known.get(namespace) ?? new Map<string, Version>();
    const now = new Map<string, Version>();
    for await (const records of pagesOf(context, keys.modulesOf(namespace))) {
      for (const { key, version, value } of records) {
        const isKnown = before.has(key);
        if (!isKnown && modules >= MAX_MODULES) continue;
        now.set(key, version);
        if (before.get(key) === version) continue;
        if (!isKnown) modules += 1;
        const module = moduleOf(key);
        const newest = factsOf(module, key, value);
        index.set(key, module, wordsOfText(newest?.description ?? ''));
        if (newest !== undefined) pending.set(key, { module, address: newest.address, notBefore: 0 });
      }
    }
    for (const key of before.keys()) {
      if (now.has(key)) continue;
      index.remove(key);
      pending.delete(key);
      modules -= 1;
    }
    known.set(namespace, now);
    marks.set(namespace, mark);
    // Any name may be asked for: what has nothing leaves nothing.
    if (mark !== undefined || now.size > 0) return;
    known.delete(namespace);
    marks.delete(namespace);
  }

  function moduleOf(key: string): IndexedModule {
    const [namespace = '', name = '', provider = ''] = key.slice(keys.modules.length).split('!');
    return { namespace, name, provider };
  }

  async function readPending(): Promise<void> {
    for (const [key, asked] of pending) {
      if (asked.notBefore > clock.now()) continue;
      const words = await readDetails(context, asked.address).then(
        (details) => details && wordsOf(details),
        () => 'unreadable' as const,
      );
      // Read meanwhile as something else, or deleted.
      if (pending.get(key) !== asked) continue;
      pending.delete(key);
      if (words === 'unreadable') pending.set(key, { ...asked, notBefore: clock.now() + RETRY_MS });
      else if (words !== undefined) index.set(key, asked.module, words);
    }
  }

  async function catchUp(namespaces: readonly string[]): Promise<void> {
    // One walk at a time: each sees what the one before has read.
    walks = walks
      .catch(() => undefined)
      .then(async () => {
        for (const { namespace, mark } of await changed(namespaces)) await walk(namespace, mark);
      });
    await walks;
    reading ??= readPending().finally(() => {
      reading = undefined;
    });
    await reading;
  }

  return async ({ namespaces: asked, provider, words, offset, limit }, signal) => {
    const namespaces = asked.filter(isNamespace);
    const isCurrent = pending.size === 0 && (await changed(namespaces, signal)).length === 0;
    if (!isCurrent) await atMost(MAX_WAIT_MS, catchUp(namespaces));
    const readable = new Set(namespaces);
    const accepts = (module: IndexedModule) =>
      readable.has(module.namespace) && (provider === undefined || module.provider === provider);
    const found = index.find(words, accepts, offset + limit).slice(offset);
    const records = await getMany(found, signal);
    return records.flatMap((record) => {
      if (record === undefined) return [];
      const module = moduleOf(record.key);
      return [{ ...module, newest: factsOf(module, record.key, record.value) }];
    });
  };
}

/** Rejects as the work does, unless the time is over. */
async function atMost(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, over]).finally(() => clearTimeout(timer));
}

function wordsOfText(description: string): Map<string, Weight> {
  const words = new Map<string, Weight>();
  for (const term of termsOf(description)) words.set(term, WEIGHTS.description);
  return words;
}

/** Those that count most come first. */
async function wordsOf({ description, root, submodules }: ModuleVersionDetails): Promise<ReadonlyMap<string, Weight>> {
  const words = wordsOfText(description);
  const add = (text: string, weight: Weight) => {
    for (const term of termsOf(text)) {
      if (words.size >= MAX_WORDS) return;
      if (!words.has(term)) words.set(term, weight);
    }
  };
  const folders = [root, ...submodules];
  for (const { inputs } of folders) {
    for (const input of inputs) add(`${input.name} ${input.description}`, WEIGHTS.input);
  }
  for (const { readme } of folders) {
    await nextTurn();
    add(readme, WEIGHTS.readme);
  }
  return words;
}
