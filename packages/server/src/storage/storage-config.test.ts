/** The member `storage`: one of three kinds, each with every member checked. docs/server.md lists those of the databases. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../config/config.js';
import { ConfigError } from '../config/config-error.js';
import { dynamodbSection, postgresSection } from './storage-config.js';

const read = (config: object) => parseConfig(JSON.stringify(config), '/etc/postern/config.json');

function problemsOf(storage: object, rest: object = {}): readonly string[] {
  try {
    read({ storage, ...rest });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('storage.postgres', () => {
  it('needs no member: the environment may say all', () => {
    expect(read({ storage: { postgres: {} } }).storage).toEqual({ postgres: {} });
  });

  it('has its files made absolute', () => {
    const postgres = { host: 'db', passwordFile: 'secret/password', caFile: './ca.pem', tls: true };
    expect(read({ storage: { postgres } }).storage.postgres).toEqual({
      ...postgres,
      passwordFile: '/etc/postern/secret/password',
      caFile: '/etc/postern/ca.pem',
    });
  });

  it.each([
    [{ file: 'a', postgres: {} }, 'storage: expected either file, postgres or dynamodb'],
    [{ postgres: [] }, 'storage.postgres: expected an object of url, host'],
    [{ postgres: { url: 'mysql://a/b' } }, 'storage.postgres.url: expected a URL that begins with postgres://'],
    [{ postgres: { url: 'postgres://a/b', host: 'c' } }, 'storage.postgres: expected either url or host'],
    [{ postgres: { url: 'postgres://a/b', tls: true } }, 'storage.postgres: expected either url or host'],
    [{ postgres: { port: 0 } }, 'storage.postgres.port: expected a port from 1 to 65535'],
    [{ postgres: { password: 'x' } }, 'storage.postgres.password: unknown member; did you mean "passwordFile"?'],
    [{ postgres: { tls: 'yes' } }, 'storage.postgres.tls: expected true or false'],
    [{ postgres: { tls: false, caFile: 'a' } }, 'storage.postgres.caFile: expected only where tls is not false'],
    [{ postgres: { schema: 'Postern' } }, 'storage.postgres.schema: expected small letters'],
    [{ postgres: { schema: 'pg_mine' } }, 'storage.postgres.schema: expected small letters'],
    [{ postgres: { schema: 'a"b' } }, 'storage.postgres.schema: expected small letters'],
    [{ postgres: { maxConnections: 0 } }, 'storage.postgres.maxConnections: expected a whole number'],
    [{ postgres: { statementTimeoutMs: 5 } }, 'storage.postgres.statementTimeoutMs: expected a number of milliseconds'],
    [{ postgres: { startWaitSeconds: -1 } }, 'storage.postgres.startWaitSeconds: expected a number of seconds'],
    [{ postgres: { connectTimeoutMs: '1s' } }, 'storage.postgres.connectTimeoutMs: expected a number of milliseconds'],
  ])('%j is refused: %s', (storage, expected) => {
    const problems = problemsOf(storage);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(expected);
  });

  it('is not quoted when it is refused: a password may stand there', () => {
    expect(problemsOf({ postgres: { url: 'postgre://u:hunter2@db/x', host: 'y' } }).join()).not.toContain('hunter2');
    expect(problemsOf({ postgres: { url: 'postgres://u:hunter2@db/x', host: 'y' } }).join()).not.toContain('hunter2');
  });

  it('needs a folder for the archives of a registry: nodes share it', () => {
    expect(problemsOf({ postgres: {} }, { registry: {} })).toEqual([
      'registry.archives: missing; with storage.postgres, a folder that all nodes share',
    ]);
    expect(problemsOf({ postgres: {} }, { registry: { archives: '/srv/archives' } })).toEqual([]);
    expect(problemsOf({ file: 'a' }, { registry: {} })).toEqual([]);
  });

  it('is documented member by member', () => {
    const document = readFileSync(new URL('../../../../docs/server.md', import.meta.url), 'utf8');
    const [, section = ''] = document.split(/^### PostgreSQL$/m);
    const table = section.split(/^#/m)[0] ?? '';
    const documented = [...table.matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1]);
    expect(documented).toEqual(Object.keys(postgresSection.shape));
  });
});

describe('storage.dynamodb', () => {
  it('needs the table alone: the environment says the rest', () => {
    expect(read({ storage: { dynamodb: { table: 'postern' } } }).storage).toEqual({ dynamodb: { table: 'postern' } });
  });

  it('takes an ARN', () => {
    const table = 'arn:aws:dynamodb:eu-west-1:123456789012:table/postern';
    expect(problemsOf({ dynamodb: { table } })).toEqual([]);
  });

  it.each([
    [{ file: 'a', dynamodb: { table: 'abc' } }, 'storage: expected either file, postgres or dynamodb'],
    [{ postgres: {}, dynamodb: { table: 'abc' } }, 'storage: expected either file, postgres or dynamodb'],
    [{ dynamodb: {} }, 'storage.dynamodb.table: expected the name or the ARN of a table'],
    [{ dynamodb: { table: 'a b' } }, 'storage.dynamodb.table: expected 3 to 255 letters'],
    [{ dynamodb: { table: 'abc', endpoint: 'dynamodb' } }, 'storage.dynamodb.endpoint: expected a URL'],
    [{ dynamodb: { table: 'abc', endpoint: 'http://u:p@h' } }, 'storage.dynamodb.endpoint: expected a URL'],
    [{ dynamodb: { table: 'abc', timeoutMs: 5 } }, 'storage.dynamodb.timeoutMs: expected a number of milliseconds'],
    [{ dynamodb: { table: 'abc', secretAccessKey: 'x' } }, 'storage.dynamodb.secretAccessKey: unknown member'],
  ])('%j is refused: %s', (storage, expected) => {
    const problems = problemsOf(storage);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(expected);
  });

  it('needs a folder for the archives of a registry: nodes share it', () => {
    expect(problemsOf({ dynamodb: { table: 'postern' } }, { registry: {} })).toEqual([
      'registry.archives: missing; with storage.dynamodb, a folder that all nodes share',
    ]);
  });

  it('is documented member by member', () => {
    const document = readFileSync(new URL('../../../../docs/server.md', import.meta.url), 'utf8');
    const [, section = ''] = document.split(/^### DynamoDB$/m);
    const table = section.split(/^#/m)[0] ?? '';
    const documented = [...table.matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1]);
    expect(documented).toEqual(Object.keys(dynamodbSection.shape));
  });
});
