/** What is asked of the database for an exchange of rates, and what an error of it says (WIRE-29). The rest: interop/postgres. */
import { isStorageError } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { openPostgresRates, type PostgresPool } from './index.js';

const limits = { perSecond: 1, burst: 2 };

/** A pool that answers with what `answer` returns for a text. */
function poolOf(answer: (text: string) => readonly object[]) {
  const asked: { readonly text: string; readonly values: readonly unknown[] }[] = [];
  let released = 0;
  const pool: PostgresPool = {
    connect: async () => ({
      async query({ text, values = [] }) {
        if (text.includes('server_version')) {
          return { rows: [{ is_replica: false, is_read_only: false, server_version: 160_000 }] };
        }
        asked.push({ text, values });
        return { rows: answer(text) };
      },
      on: () => undefined,
      release: () => {
        released += 1;
      },
    }),
  };
  return { pool, asked, released: () => released };
}

function failure(code: string): Error {
  return Object.assign(new Error('Failing row contains (canary)'), { code, severity: 'ERROR' });
}

describe('an exchange', () => {
  it('is one statement on one connection, and reads the buckets as the database has them', async () => {
    const row = { key: Buffer.from('login 192.0.2.1'), tokens: '-3.5', per_second: '50', burst: '200' };
    const { pool, asked, released } = poolOf(() => [row]);
    const rates = openPostgresRates({ pool });
    const taking = { key: 'login 192.0.2.1', cost: 7, limits: { perSecond: 50, burst: 200 } };
    expect(await rates.exchange([taking, { ...taking, key: 'open 192.0.2.1', cost: 0 }])).toEqual([
      { key: 'login 192.0.2.1', tokens: -3.5, limits: { perSecond: 50, burst: 200 } },
    ]);
    expect([asked.length, released()]).toEqual([1, 1]);
    expect(asked[0]?.values.map((value) => (Array.isArray(value) ? value.map(String) : value))).toEqual([
      ['login 192.0.2.1', 'open 192.0.2.1'],
      ['7', '0'],
      ['50', '50'],
      ['200', '200'],
      ['open 192.0.2.1'],
    ]);
    await rates.close();
  });

  it('makes the table where it is missing, and asks again', async () => {
    let isThere = false;
    const { pool, asked } = poolOf((text) => {
      if (text.startsWith('CREATE UNLOGGED TABLE IF NOT EXISTS other.rates')) isThere = true;
      if (!isThere) throw failure('42P01');
      return [];
    });
    const rates = openPostgresRates({ pool, schema: 'other' });
    expect(await rates.exchange([])).toEqual([]);
    expect(asked.map(({ text }) => text.split(/\s+/)[0])).toEqual(['WITH', 'CREATE', 'CREATE', 'WITH']);
    expect(await rates.exchange([])).toEqual([]);
    expect(asked).toHaveLength(5);
  });

  it('is sent again, on a connection of its own, where another transaction was in its way', async () => {
    let failures = 2;
    const { pool, asked, released } = poolOf(() => {
      failures -= 1;
      if (failures >= 0) throw failure('40001');
      return [];
    });
    expect(await openPostgresRates({ pool }).exchange([])).toEqual([]);
    expect([asked.length, released()]).toEqual([3, 3]);
    failures = 3;
    await expect(openPostgresRates({ pool }).exchange([])).rejects.toMatchObject({
      code: 'unavailable',
      cause: { code: '40001' },
    });
    expect([asked.length, released()]).toEqual([6, 6]);
  });

  it('leaves out keys that are no addresses or digests', async () => {
    const { pool, asked } = poolOf(() => []);
    const keys = ['k', 'x'.repeat(129), '\uD800', '\0', 'x'.repeat(128)];
    await openPostgresRates({ pool }).exchange(keys.map((key) => ({ key, cost: 1, limits })));
    const [sent] = asked[0]?.values ?? [];
    expect(Array.isArray(sent) && sent.map(String)).toEqual(['k', '\0', 'x'.repeat(128)]);
  });

  it.each([['42501'], ['57P01'], ['53100']])(
    'that fails with %s is unavailable, and says no more than the code',
    async (code) => {
      const { pool } = poolOf(() => {
        throw failure(code);
      });
      const error = await openPostgresRates({ pool })
        .exchange([{ key: 'k', cost: 1, limits }])
        .catch((thrown: unknown) => thrown);
      expect(isStorageError(error) && [error.code, error.cause]).toEqual([
        'unavailable',
        expect.objectContaining({ code, message: `PostgreSQL answered with SQLSTATE ${code}` }),
      ]);
    },
  );
});

describe('options', () => {
  it('are those of the storage: no connection in the clear that nobody chose', () => {
    expect(() => openPostgresRates({ host: 'db.example.com' })).toThrow('would not be encrypted');
    expect(() => openPostgresRates({ schema: 'Bad' })).toThrow(TypeError);
  });
});
