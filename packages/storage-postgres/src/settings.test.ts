/** Which options can be meant, and what the driver is told. */
import { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import type { PostgresStorageOptions } from './options.js';
import { settingsOf } from './settings.js';

describe('options', () => {
  it('need not name anything: the driver knows the environment', () => {
    const { schema, statementTimeoutMs, pool } = settingsOf({});
    expect({ schema, statementTimeoutMs, max: pool.max }).toEqual({
      schema: 'postern',
      statementTimeoutMs: 3_000,
      max: 10,
    });
    expect(Object.keys(pool)).not.toContain('host');
  });

  it('are passed on as the driver calls them', () => {
    const { pool } = settingsOf({ host: 'db', port: 1, database: 'd', user: 'u', password: 'p', tls: { ca: 'PEM' } });
    expect(pool).toMatchObject({ host: 'db', port: 1, database: 'd', user: 'u', password: 'p' });
    expect(pool.ssl).toEqual({ ca: 'PEM', rejectUnauthorized: true });
    expect(settingsOf({ tls: true }).pool.ssl).toBe(true);
  });

  it('take a password as a function, which only the driver calls', () => {
    const password = () => {
      throw new Error('called without a connection');
    };
    expect(settingsOf({ password }).pool.password).toBe(password);
    expect(() => settingsOf({ password, passwordFile: 'f' })).toThrow(TypeError);
    expect(() => settingsOf({ password, connectionString: 'postgres://u@db/x' })).toThrow(TypeError);
  });

  it.each<PostgresStorageOptions>([
    { connectionString: 'mysql://u:hunter2@db/x' },
    { connectionString: 'postgres://u:hunter2@db/x', host: 'db' },
    { connectionString: 'postgres://u:hunter2@db/x', tls: true },
    { password: 'hunter2', passwordFile: 'f' },
    { pool: new Pool(), password: 'hunter2' },
    { pool: new Pool(), maxConnections: 5 },
    { schema: '' },
    { schema: 'Upper' },
    { schema: 'a"; DROP TABLE x' },
    { schema: 'pg_x' },
    { schema: 'x'.repeat(64) },
    { maxConnections: 0 },
    { maxConnections: 1.5 },
    { statementTimeoutMs: -1 },
    { connectTimeoutMs: Number.NaN },
  ])('that are invalid are a TypeError without the password: %j', (options) => {
    expect(() => settingsOf(options)).toThrow(TypeError);
    expect(() => settingsOf(options)).toThrow(expect.not.stringContaining('hunter2'));
  });
});
