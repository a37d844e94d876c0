/** What the configuration file may say, and how what it may not is named. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { auditNodeOf, loadConfig, parseConfig, workersOf } from './config.js';
import { ConfigError } from './config-error.js';

const minimal = { storage: { file: 'postern.db' } };
const read = (config: object) => parseConfig(JSON.stringify(config), '/etc/postern/config.json');

function problemsOf(config: object | string): readonly string[] {
  try {
    parseConfig(typeof config === 'string' ? config : JSON.stringify(config), 'config.json');
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const onPostgres = { storage: { postgres: {} } };

describe('workers (WORKERS-1)', () => {
  it('are a number or as many as there are cores, and one unless told', () => {
    const count = (workers?: unknown) =>
      workersOf(read({ ...onPostgres, ...(workers === undefined ? {} : { workers }) }));
    expect([count(), count(1), count(3), count('auto')]).toEqual([1, 1, 3, availableParallelism()]);
    const wrong = ['workers: expected a number of processes from 1 to 256, or "auto"'];
    for (const workers of [0, 257, 1.5, 'all', true]) expect(problemsOf({ ...onPostgres, workers })).toEqual(wrong);
  });

  it('need a database for several processes, one core or many', () => {
    const refused = [
      'workers: only with storage.postgres: a database file has one process, and rates are shared through PostgreSQL',
    ];
    for (const storage of [minimal.storage, { dynamodb: { table: 'postern' } }]) {
      for (const workers of [2, 'auto']) expect(problemsOf({ storage, workers })).toEqual(refused);
      expect(problemsOf({ storage, workers: 1 })).toEqual([]);
    }
  });

  it('share their rates', () => {
    const refused = ['sharedRates: workers always share their rates; leave it out'];
    expect(problemsOf({ ...onPostgres, workers: 2, sharedRates: false })).toEqual(refused);
    expect(problemsOf({ ...onPostgres, workers: 2, sharedRates: true })).toEqual([]);
  });

  it('have an audit node each, the same after a restart (WORKERS-2)', () => {
    const config = read({ ...onPostgres, workers: 2, auditNode: 'eu-1' });
    expect([auditNodeOf(config), auditNodeOf(config, 2)]).toEqual(['eu-1', 'eu-1:worker-2']);
    expect(auditNodeOf(read({ ...onPostgres, listen: { port: 0 } }), 2)).toBeUndefined();
  });
});

describe('a configuration', () => {
  it('needs no more than a storage file', () => {
    expect(read(minimal)).toEqual({
      storage: { file: '/etc/postern/postern.db' },
      sealing: [{ keyFile: '/etc/postern/postern.key' }],
      audit: [{ file: '-' }],
      directory: '/etc/postern',
    });
  });

  it('may say everything', () => {
    const config = {
      listen: { host: '0.0.0.0', port: 8200 },
      storage: { file: '/var/lib/postern.db' },
      mountPath: 'auth/aws',
      profile: 'vault',
      tokens: { defaultTtlSeconds: 3600, maxTtlSeconds: 86_400 },
      allowSha1Signatures: true,
      refuseReplays: true,
      maxSignedRequestAgeSeconds: 300,
      trustedProxies: ['10.0.0.0/8', '::1', '2001:db8::/32'],
      audit: { file: 'audit.log' },
      auditNode: 'postern-0.eu:8200',
      bodyLimitBytes: 65_536,
      policies: { reader: { 'auth/aws/role/*': ['read', 'list'], 'auth/aws/config/client': ['deny'] } },
      provider: { module: './provider.mjs', options: { anything: [1] } },
      registry: {
        archives: './archives',
        publicUrl: 'https://registry.acme.example/',
        organizations: ['acme'],
        page: true,
        title: 'Acme modules',
        sessionSeconds: 3600,
        downloadTtlSeconds: 60,
        rate: { perSecond: 5, burst: 50 },
        limits: { maxArchiveBytes: 1_000_000, maxEntries: 100 },
        quota: { versions: 100, organizations: { acme: { bytes: 0 } } },
        overlay: ['acme', 'acme/network/aws'],
      },
    };
    expect(read(config)).toEqual({
      ...config,
      sealing: [{ keyFile: '/var/lib/postern.key' }],
      audit: [{ file: '/etc/postern/audit.log' }],
      registry: { ...config.registry, archives: '/etc/postern/archives' },
      directory: '/etc/postern',
    });
  });

  it('keeps the standard output as it is', () => {
    expect(read({ ...minimal, audit: { file: '-' } }).audit).toEqual([{ file: '-' }]);
    expect(read(minimal).audit).toEqual([{ file: '-' }]);
  });

  it('takes several sinks of audit events, each of one kind', () => {
    const sinks = [{ file: 'a.log' }, { syslog: 'tcp://[::1]:601' }, { http: 'https://c.example/in', tokenFile: 't' }];
    expect(read({ ...minimal, audit: sinks }).audit).toEqual([
      { file: '/etc/postern/a.log' },
      { syslog: 'tcp://[::1]:601' },
      { http: 'https://c.example/in', tokenFile: '/etc/postern/t' },
    ]);
    const both = { file: 'a.log', http: 'https://c.example/in' };
    for (const audit of [[], both, [both], { file: 'a', tokenFile: 't' }, { syslog: 'ftp://x' }]) {
      expect(() => read({ ...minimal, audit })).toThrow('audit');
    }
  });

  it.each<[string, object, string]>([
    ['a wrong type', { listen: { port: '8200' } }, 'listen.port'],
    ['a port out of range', { listen: { port: 65_536 } }, 'listen.port'],
    ['an empty text', { storage: { file: '' } }, 'storage.file'],
    ['an unknown profile', { profile: 'consul' }, 'profile'],
    ['a mount path with a slash at its end', { mountPath: 'auth/cloud/' }, 'mountPath'],
    ['a mount path that is taken', { mountPath: 'auth/token' }, 'mountPath'],
    ['a mount path below one that is taken', { mountPath: 'sys/x' }, 'mountPath'],
    ['a lifetime of zero', { tokens: { maxTtlSeconds: 0 } }, 'tokens.maxTtlSeconds'],
    ['a default above the maximum', { tokens: { defaultTtlSeconds: 2, maxTtlSeconds: 1 } }, 'tokens.defaultTtlSeconds'],
    ['a flag that is a text', { allowSha1Signatures: 'no' }, 'allowSha1Signatures'],
    ['a proxy by name', { trustedProxies: ['proxy.internal'] }, 'trustedProxies.0'],
    ['a prefix too long', { trustedProxies: ['::1', '10.0.0.0/33'] }, 'trustedProxies.1'],
    ['a prefix that is none', { trustedProxies: ['10.0.0.0/'] }, 'trustedProxies.0'],
    ['a body limit of nothing', { bodyLimitBytes: 0 }, 'bodyLimitBytes'],
    ['an unknown capability', { policies: { p: { 'a/*': ['sudo'] } } }, 'policies.p.a/*.0'],
    ['a provider without a module', { provider: {} }, 'provider.module'],
    ['a section that is none', { audit: 'audit.log' }, 'audit'],
    ['a registry that is none', { registry: true }, 'registry'],
    ['a public address with a path', { registry: { publicUrl: 'https://acme.example/x' } }, 'registry.publicUrl'],
    ['a public address of a mailbox', { registry: { publicUrl: 'mailto:a@b.example' } }, 'registry.publicUrl'],
    ['a public address that is none', { registry: { publicUrl: 'acme.example' } }, 'registry.publicUrl'],
    ['an organization with a slash', { registry: { organizations: ['a', 'a/b'] } }, 'registry.organizations.1'],
    ['an overlay of two parts', { registry: { overlay: ['acme/network'] } }, 'registry.overlay.0'],
    ['a rate of nothing', { registry: { rate: { perSecond: 0 } } }, 'registry.rate.perSecond'],
    ['a rate that is none', { registry: { rate: true } }, 'registry.rate'],
    ['a node with a slash', { auditNode: 'a/b' }, 'auditNode'],
    ['a negative quota', { registry: { quota: { bytes: -1 } } }, 'registry.quota.bytes'],
    ['a limit of nothing', { registry: { limits: { maxEntries: 0 } } }, 'registry.limits.maxEntries'],
    ['an address that ends at once', { registry: { downloadTtlSeconds: 1 } }, 'registry.downloadTtlSeconds'],
  ])('with %s is refused by the name of the member', (_name, part, path) => {
    const problems = problemsOf({ ...minimal, ...part });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${path.replaceAll('*', '\\*')}: \\S`));
  });

  it.each<[object, string]>([
    [{ lsiten: {} }, 'lsiten: unknown member; did you mean "listen"?'],
    [{ listen: { prot: 1 } }, 'listen.prot: unknown member; did you mean "port"?'],
    [{ loginRate: { perSecnd: 1 } }, 'loginRate.perSecnd: unknown member; did you mean "perSecond"?'],
    [{ allowSha1: true }, 'allowSha1: unknown member; known members: '],
    [
      { registry: { limits: { maxEntrys: 1 } } },
      'registry.limits.maxEntrys: unknown member; did you mean "maxEntries"?',
    ],
    [{ storage: { file: 'x', path: 'y' } }, 'storage.path: unknown member; known members: file'],
  ])('with an unknown member %j is told which may be meant', (part, expected) => {
    expect(problemsOf({ ...minimal, ...part })[0]).toContain(expected);
  });

  it('reports everything that is wrong at once', () => {
    expect(problemsOf({ listen: { port: -1 }, profil: 'vault' })).toHaveLength(3);
  });

  it.each(['', '{', '[]', 'null', '{"storage":{"file":"a"},"storage":{"file":"b"}}', '{"__proto__":{}}'])(
    'is refused when it reads %s',
    (content) => {
      expect(problemsOf(content)).toHaveLength(1);
    },
  );
});

describe('a file that cannot be used', () => {
  it.each([
    ['{}', 'storage: missing; expected an object of file, postgres, dynamodb'],
    ['{ "storage": [] }', 'storage: expected an object of file, postgres, dynamodb'],
    ['{ "storage": {} }', 'storage: expected either file, postgres or dynamodb'],
    ['{ "storage": { "file": "x" }, "sharedRates": true }', 'sharedRates: only with storage.postgres'],
    [
      '{ "storage": { "dynamodb": { "table": "abc" } }, "sharedRates": true }',
      'sharedRates: only with storage.postgres',
    ],
    ['{ "storage": { "file": 1 } }', 'storage.file: expected the path of the database file'],
  ])('that reads %s is told what is missing', (content, expected) => {
    expect(problemsOf(content)).toEqual([expected]);
  });

  it.each([
    ['', 'empty'],
    ['{\n  "storage": { "file": "x", }\n}', 'line 2, column 29'],
    ['{\n  // a comment\n}', 'line 2, column 3'],
  ])('is told where it is no JSON: %j', (content, place) => {
    expect(problemsOf(content)[0]).toContain(place);
  });

  it('is not quoted: a secret may stand there', () => {
    expect(problemsOf('{ "provider": { "options": { "password": "hunter2" "x" } } }')[0]).not.toContain('hunter');
  });
});

describe('O8: a member that stands twice', () => {
  it.each([
    ['{"storage":{"file":"a"},"storage":{"file":"b"}}', 'storage'],
    ['{"storage":{"file":"a"},"policies":{"x":{},"a b":{"p":[],"p":[]}}}', 'policies.a b.p'],
    ['{"storage":{"file":"a"},"trustedProxies":["[{,:\\\\\\"",{"q":1,"\\u0071":2}]}', 'trustedProxies.1.q'],
  ])('%s is named: %s', (content, member) => {
    expect(() => parseConfig(content, 'c.json')).toThrow(`an object has the same member twice: ${member}`);
  });
});

describe('the file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-config-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is read from disk', () => {
    const file = join(folder, 'config.json');
    writeFileSync(file, JSON.stringify(minimal));
    expect(loadConfig(file).storage.file).toBe(join(folder, 'postern.db'));
  });

  it('is named when it is not there', () => {
    expect(() => loadConfig(join(folder, 'missing.json'))).toThrow(ConfigError);
  });
});

describe('the name under which a server comes back for its audit events', () => {
  const nodeOf = (config: object) => auditNodeOf(read({ ...minimal, ...config }));
  const postgres = { storage: { postgres: { url: 'postgres://localhost/postern' } } };

  it.each<[string, object, string | undefined]>([
    ['is one for a database file', {}, 'local'],
    ['is host and address for a database', postgres, `${hostname()}:127.0.0.1:8200`],
    [
      'is host and address for a table',
      { storage: { dynamodb: { table: 'postern' } } },
      `${hostname()}:127.0.0.1:8200`,
    ],
    ['tells servers of a host apart', { ...postgres, listen: { host: '::1', port: 1 } }, `${hostname()}:::1:1`],
    ['has no default where the port is drawn', { ...postgres, listen: { port: 0 } }, undefined],
    ['is what the configuration says', { ...postgres, auditNode: 'postern-0', listen: { port: 0 } }, 'postern-0'],
  ])('%s', (_what, config, expected) => {
    expect(nodeOf(config)).toBe(expected);
  });
});
