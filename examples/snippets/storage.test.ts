/** Snippets of the stores, blob stores and the ports, and of the storage contract. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';

// Below, what the pages show.

// #region storage-memory
import { createMemoryStorage } from '@postern/storage-memory';

// #endregion

// #region storage-sqlite
import { openSqliteStorage } from '@postern/storage-sqlite';

// #endregion

// #region storage-postgres
import { isPostgresOpenError, openPostgresStorage } from '@postern/storage-postgres';

// #endregion

// #region storage-dynamodb
import { createDynamoTable, isDynamoOpenError, openDynamoStorage } from '@postern/storage-dynamodb';

// #endregion

// #region blobs-files
import { openFileBlobStore } from '@postern/blobs-files';

// #endregion

// #region ports
import { isConflict, isStorageError } from '@postern/ports';

// #endregion

// #region contract
import { storageContract } from '@postern/testkit';

// #endregion

const folder = mkdtempSync(join(tmpdir(), 'postern-snippets-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('storage-memory', async () => {
  // #region storage-memory
  const storage = createMemoryStorage();
  await storage.commit([{ type: 'put', key: 'greeting', value: 'hello', if: 'absent' }]);
  const record = await storage.get('greeting'); // { value: 'hello', version: … }
  // #endregion
  expect(record?.value).toBe('hello');
});

it('storage-sqlite', async () => {
  const file = join(folder, 'postern.db');
  // #region storage-sqlite
  const storage = await openSqliteStorage({ file });
  await storage.commit([{ type: 'put', key: 'greeting', value: 'hello', if: 'absent' }]); // on the disk when it resolves
  await storage.close();
  // #endregion
  const again = await openSqliteStorage({ file });
  expect((await again.get('greeting'))?.value).toBe('hello');
  await again.close();
});

it('storage-postgres', async () => {
  const connectionString = 'postgres://postern@127.0.0.1:9/postern';
  const codes: string[] = [];
  // #region storage-postgres
  try {
    const storage = await openPostgresStorage({ connectionString, maxConnections: 10 });
    await storage.commit([{ type: 'put', key: 'greeting', value: 'hello', if: 'absent' }]);
    await storage.close();
  } catch (error) {
    if (!isPostgresOpenError(error)) throw error;
    codes.push(error.code); // why it could not be opened
  }
  // #endregion
  expect(codes).toHaveLength(1);
});

it('storage-dynamodb', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'example').stubEnv('AWS_SECRET_ACCESS_KEY', 'example');
  const table = { table: 'postern', region: 'eu-west-1', endpoint: 'http://127.0.0.1:9', timeoutMs: 50 };
  const codes: string[] = [];
  // #region storage-dynamodb
  try {
    await createDynamoTable(table); // once; false where it is there
    const storage = await openDynamoStorage(table); // { table: 'postern', region: 'eu-west-1' }
    await storage.commit([{ type: 'put', key: 'greeting', value: 'hello', if: 'absent' }]);
    await storage.close();
  } catch (error) {
    if (!isDynamoOpenError(error)) throw error;
    codes.push(error.code); // why it could not be opened
  }
  // #endregion
  vi.unstubAllEnvs();
  expect(codes).toEqual(['unreachable']);
});

it('blobs-files', async () => {
  const content = async function* () {
    yield Uint8Array.of(1, 2, 3);
  };
  // #region blobs-files
  const blobs = await openFileBlobStore({ folder });
  const { digest } = await blobs.put(content(), { maxBytes: 1_000_000 });
  const blob = await blobs.open(digest); // verified while it is read
  // #endregion
  const chunks: number[] = [];
  for await (const chunk of blob?.content ?? []) chunks.push(...chunk);
  expect(chunks).toEqual([1, 2, 3]);
});

it('ports', async () => {
  const storage = createMemoryStorage();
  await storage.commit([{ type: 'put', key: 'greeting', value: 'hello', if: 'absent' }]);
  const outcomes: string[] = [];
  // #region ports
  try {
    await storage.commit([{ type: 'put', key: 'greeting', value: 'hi', if: 'absent' }]);
  } catch (error) {
    // By code, never by instanceof: two copies of a package may meet.
    if (isConflict(error)) outcomes.push('somebody else was first');
    else if (isStorageError(error))
      outcomes.push(error.code); // unavailable, outcome_unknown …
    else throw error;
  }
  // #endregion
  expect(outcomes).toEqual(['somebody else was first']);
});

const openMyStorage = async () => createMemoryStorage();

// #region contract
describe('my storage', () => {
  const create = async () => {
    const storage = await openMyStorage();
    return { storage, destroy: () => storage.close() };
  };
  it.each(storageContract({ durable: false, create }))('$name', ({ run }) => run());
});
// #endregion
