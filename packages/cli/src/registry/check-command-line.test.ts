/** What `postern registry check` may be asked. */
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../command-line.js';
import { UsageError } from '../usage-error.js';
import { CHECK_USAGE, type CheckCommand } from './check-command-line.js';

const PLAIN: CheckCommand = {
  name: 'registry-check',
  directory: '.',
  json: false,
  failOn: new Set(),
  offlineOk: false,
  noColour: false,
  registries: new Map(),
};
const HOST = 'registry.acme.test';

describe('postern registry check', () => {
  it.each<[string, Partial<CheckCommand>]>([
    ['', {}],
    ['infra', { directory: 'infra' }],
    ['-', { directory: '-' }],
    ['--json --offline-ok --no-color', { json: true, offlineOk: true, noColour: true }],
    ['--fail-on=deprecated', { failOn: new Set(['deprecated'] as const) }],
    ['--fail-on=revoked,sunset', { failOn: new Set(['revoked', 'sunset'] as const) }],
    ['--fail-on revoked --fail-on sunset x', { directory: 'x', failOn: new Set(['revoked', 'sunset'] as const) }],
    [`--registry=${HOST}`, { registries: new Map([[HOST, undefined]]) }],
    ['--registry=Registry.Acme.Test:443', { registries: new Map([[HOST, undefined]]) }],
    [
      `--registry=https://${HOST}/v1/modules/`,
      { registries: new Map([[HOST, { modulesUrl: `https://${HOST}/v1/modules/` }]]) },
    ],
    [
      `--registry=${HOST}=http://127.0.0.1:8080/m --registry=127.0.0.1:8443`,
      {
        registries: new Map([
          [HOST, { modulesUrl: 'http://127.0.0.1:8080/m' }],
          ['127.0.0.1:8443', undefined],
        ]),
      },
    ],
    [
      `--registry=${HOST}=http://127.0.0.1:8080`,
      { registries: new Map([[HOST, { discoveryUrl: 'http://127.0.0.1:8080/.well-known/terraform.json' }]]) },
    ],
  ])('%s', async (line, command) => {
    const args = line === '' ? [] : line.split(' ');
    await expect(parseCommandLine(['registry', 'check', ...args])).resolves.toEqual({ ...PLAIN, ...command });
  });

  it.each(['registry --help', 'registry check -h', 'registry check x --help'])('helps: %s', async (line) => {
    await expect(parseCommandLine(line.split(' '))).resolves.toEqual({ name: 'help', usage: CHECK_USAGE });
  });

  it.each([
    'registry',
    'registry look',
    'registry check a b',
    'registry check --fail-on',
    'registry check --fail-on=',
    'registry check --fail-on=all',
    'registry check --registry=a/b',
    'registry check --registry=ftp://x.test/',
    'registry check --registry=https://',
    'registry check --registry=https://user@x.test/',
    'registry check --registry=a@b=http://x.test/',
    'registry check --port=1',
  ])('refuses: postern %s', async (line) => {
    await expect(parseCommandLine(line.split(' '))).rejects.toThrow(UsageError);
  });
});
