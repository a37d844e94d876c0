/** Everything that a configured storage holds, for a backup or a copy; and whether servers write to it meanwhile. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Storage, StorageSnapshot } from '@postern/ports';
import { openSqliteSnapshot } from '@postern/storage-sqlite';
import { StartError } from '../start-error.js';
import { postgresOptions } from './open-storage.js';
import { READINESS_EVERY_MS, READINESS_KEY } from './readiness.js';
import type { StorageConfig } from './storage-config.js';

/** Nobody waits for the answer to one request, and throttling takes minutes to end. Milliseconds. */
const FOR_A_WHOLE_TABLE = { requestTimeoutMs: 30_000, timeoutMs: 180_000 } as const;

/** Of one moment; of a table only while nobody writes. @throws SqliteOpenError, StartError. */
export async function openSnapshot({ file, postgres, dynamodb }: StorageConfig): Promise<StorageSnapshot> {
  if (postgres !== undefined) {
    const { openPostgresSnapshot } = await import('@postern/storage-postgres');
    return forDatabase('storage.postgres', openPostgresSnapshot(postgresOptions(postgres)));
  }
  if (dynamodb === undefined) return openSqliteSnapshot({ file });
  const { startWaitSeconds: _, ...options } = dynamodb;
  const { openDynamoDump } = await import('@postern/storage-dynamodb');
  return forDatabase('storage.dynamodb', openDynamoDump({ ...options, ...FOR_A_WHOLE_TABLE }));
}

/** A running server writes its readiness every two seconds. */
export async function isServed(storage: Storage): Promise<boolean> {
  const before = await storage.get(READINESS_KEY);
  if (before === undefined) return false;
  await delay(2.5 * READINESS_EVERY_MS);
  const after = await storage.get(READINESS_KEY);
  return after?.version !== before.version;
}

const EXPECTED: ReadonlySet<string> = new Set(['PostgresOpenError', 'DynamoOpenError', 'StorageError']);

/** @throws StartError for what an operator can act on. */
export async function forDatabase<T>(setting: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const isKnown = error instanceof Error && EXPECTED.has(error.name);
    throw isKnown ? new StartError(`${setting}: ${error.message}`, error) : error;
  }
}
