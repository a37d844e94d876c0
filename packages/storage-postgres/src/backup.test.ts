/** What a backup and a restore refuse before they reach a database. */
import { expect, it, vi } from 'vitest';
import { openPostgresSnapshot, type PostgresStorageOptions, restorePostgresStorage } from './index.js';

async function* nothing() {}

it('a pool is refused untouched: the data would be of the database that the environment names', async () => {
  const connect = vi.fn();
  const options: PostgresStorageOptions = { pool: { connect } };
  const refusal = { name: 'TypeError', message: 'pool: say how to connect instead' };
  await expect(openPostgresSnapshot(options)).rejects.toMatchObject(refusal);
  const snapshot = { items: nothing(), lastVersion: '0' };
  const expected = () => ({ records: 0, entries: 0 });
  await expect(restorePostgresStorage({ ...options, replace: true }, snapshot, expected)).rejects.toMatchObject(
    refusal,
  );
  expect(connect).not.toHaveBeenCalled();
});
