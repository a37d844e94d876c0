/** What the cases of the storage contract are made of. They assert with node:assert: any test runner can run them. */
import assert from 'node:assert/strict';
import { isStorageError, type Operation, type Storage, type StorageError, type StorageErrorCode } from '@postern/ports';

export interface ContractContext {
  /** An empty storage. */
  readonly storage: Storage;
  /** Closes it, and opens the same data again. Only for durable storages. */
  reopen(): Promise<Storage>;
  /** Opens a second handle on the same data, as another process would. Only where the contract has `openAnother`. */
  openAnother(): Promise<Storage>;
}

export interface ContractDefinition {
  readonly name: string;
  /** Says something of data that outlive the storage object. */
  readonly needsDurability?: true;
  /** Uses a second handle on the same data. */
  readonly needsSecondHandle?: true;
  run(context: ContractContext): Promise<void>;
}

/** Puts records one commit each, blindly; returns their versions. */
export async function putAll(storage: Storage, records: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const versions: string[] = [];
  for (const [key, value] of Object.entries(records)) versions.push(await put(storage, key, value));
  return versions;
}

/** Puts one record; returns its version. */
export async function put(storage: Storage, key: string, value: string, expiresAt?: number): Promise<string> {
  const { versions } = await storage.commit([{ type: 'put', key, value, expiresAt, if: 'any' }]);
  assert.equal(versions.length, 1);
  assert.ok(versions[0] !== undefined && versions[0] !== '', 'a put returns its version');
  return versions[0];
}

/** Puts many records at once, in commits of 25. */
export async function putMany(storage: Storage, records: readonly Omit<PutOperation, 'type' | 'if'>[]): Promise<void> {
  for (let start = 0; start < records.length; start += 25) {
    const part = records.slice(start, start + 25);
    await storage.commit(part.map((record) => ({ type: 'put', if: 'any', ...record })));
  }
}

type PutOperation = Extract<Operation, { readonly type: 'put' }>;

/** Asserts that a call rejects with the port's error and this code. */
export async function rejects(call: Promise<unknown>, code: StorageErrorCode): Promise<StorageError> {
  const outcome: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(isStorageError(outcome), `expected a StorageError ${code}, got ${String(outcome)}`);
  assert.equal(outcome.code, code);
  return outcome;
}

const MAX_PAGES = 1_000;

/** Fails a walk whose pages never end: it would block the event loop, and with it the test runner's own time limit. */
export function checkPageCount(pages: number): void {
  assert.ok(pages <= MAX_PAGES, `the walk did not end after ${MAX_PAGES} pages: the last page must have no \`next\``);
}

/** All keys under a prefix, walked in pages. */
export async function allKeys(storage: Storage, prefix = '', limit = 1000): Promise<readonly string[]> {
  const keys: string[] = [];
  let after: string | undefined;
  let pages = 0;
  do {
    pages += 1;
    checkPageCount(pages);
    const page = await storage.list(prefix, { after, limit });
    keys.push(...page.items.map(({ key }) => key));
    after = page.next;
  } while (after !== undefined);
  return keys;
}

/** Values of keys, undefined where absent. */
export async function valuesOf(storage: Storage, keys: readonly string[]): Promise<readonly (string | undefined)[]> {
  return (await storage.getMany(keys)).map((record) => record?.value);
}
