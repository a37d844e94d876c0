/** Where tokens and addresses come from: environment, configuration file, login; none of them is ever told. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseCliConfig, readCliSettings } from '../index.js';
import { environmentTokens } from './environment-token.js';
import { ConfigSyntaxError, parseConfigLanguage } from './parse-config-language.js';

const NATIVE = `
# comment
plugin_cache_dir = "$HOME/cache" // comment
disable_checkpoint = true
/* many
   lines */
credentials "Registry.Acme.Test" {
  token = "t-\\"1\\u0041"
}
credentials "not a host" { token = "t-0" }
credentials "empty.test" {}
host "registry.acme.test" {
  services = {
    "modules.v1" = "http://127.0.0.1:1/m/",
    "login.v1" = { client = "x", ports = [10000, 10010] }
  }
}
provider_installation {
  filesystem_mirror { path = "/x" include = ["a", "b"] }
}
`;

describe('a configuration file', () => {
  it.each([
    ['native', 'native', NATIVE],
    [
      'JSON',
      'json',
      JSON.stringify({
        credentials: { 'registry.acme.test': { token: 't-"1A' }, x: 4 },
        host: [{ 'registry.acme.test': { services: { 'modules.v1': 'http://127.0.0.1:1/m/' } } }],
      }),
    ],
    [
      'native with attributes for blocks',
      'native',
      'credentials = { "registry.acme.test" = { token: "t-\\"1A" } } ' +
        'host "registry.acme.test" { services { "modules.v1" = "http://127.0.0.1:1/m/" } }',
    ],
  ] as const)('tells tokens and addresses: %s', (_name, format, text) => {
    const { tokens, modulesUrls } = parseCliConfig(text, format);
    expect([...tokens]).toEqual([['registry.acme.test', 't-"1A']]);
    expect([...modulesUrls]).toEqual([['registry.acme.test', 'http://127.0.0.1:1/m/']]);
  });

  it.each([
    'credentials "a.test" { token = "secret-1"',
    'credentials "a.test" { token = <<EOT\nsecret-1\nEOT\n}',
    'credentials "a.test" { token = secret-1 + 1 }',
    'token = "secret-1',
    'token = "secret-1\\q"',
    '}',
    'a = [',
    '= "x"',
    `${'a {'.repeat(100)}${'}'.repeat(100)}`,
    `a = ${'['.repeat(100)}${']'.repeat(100)}`,
  ])('that is not understood is refused without a word of it: %j', (text) => {
    try {
      parseCliConfig(text, 'native');
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigSyntaxError);
      expect(inspect(error)).not.toContain('secret-1');
    }
    expect(() => parseCliConfig(text, 'json')).toThrow(ConfigSyntaxError);
  });

  it('is read or refused, whatever the text', () => {
    const piece = fc.constantFrom('a', '"b"', '{', '}', '[', ']', '=', ',', '\n', '#', '/*', '*/', '"', '\\', ' ');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((pieces) => pieces.join('')),
        ),
        (text) => {
          try {
            parseConfigLanguage(text);
          } catch (error) {
            expect(error).toBeInstanceOf(ConfigSyntaxError);
          }
        },
      ),
    );
  });
});

it('names hosts in the environment as the CLI does', () => {
  const found = environmentTokens({
    TF_TOKEN_registry_acme_test: 'a',
    TF_TOKEN_my__registry_acme_test: 'b',
    'TF_TOKEN_dotted-name.test': 'c',
    TF_TOKEN_: 'd',
    TF_TOKEN_empty_test: '',
    TF_VAR_x: 'e',
  });
  expect([...found]).toEqual([
    ['registry.acme.test', 'a'],
    ['my-registry.acme.test', 'b'],
    ['dotted-name.test', 'c'],
  ]);
});

describe('the settings of a user', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'postern-check-home-'));
    await mkdir(join(home, '.terraform.d'));
    const login = { credentials: { 'a.test': { token: 'from-login' }, 'b.test': { token: 'from-login' } } };
    await writeFile(join(home, '.terraform.d', 'credentials.tfrc.json'), JSON.stringify(login));
  });
  afterEach(() => rm(home, { recursive: true }));
  const read = (environment: Record<string, string> = {}, platform = 'linux') =>
    readCliSettings({ environment, home, platform });

  it('count in the order of the CLI: environment, file, login', async () => {
    await writeFile(join(home, '.terraformrc'), 'credentials "a.test" { token = "from-file" }');
    const { tokens, complaints } = await read({ TF_TOKEN_c_test: 'from-environment' });
    expect(['a.test', 'A.test:443', 'b.test', 'c.test', 'd.test', 'no host'].map(tokens)).toEqual([
      'from-file',
      'from-file',
      'from-login',
      'from-environment',
      undefined,
      undefined,
    ]);
    expect((await read({ TF_TOKEN_a_test: 'from-environment' })).tokens('a.test')).toBe('from-environment');
    expect(complaints).toEqual([]);
  });

  it('are those of one file where that is named', async () => {
    const file = join(home, 'own.tfrc');
    await writeFile(file, 'host "a.test" { services = { "modules.v1" = "http://127.0.0.1:1/" } }');
    const { tokens, locations } = await read({ TF_CLI_CONFIG_FILE: file });
    expect(tokens('a.test')).toBeUndefined();
    expect([...locations]).toEqual([['a.test', { modulesUrl: 'http://127.0.0.1:1/' }]]);
  });

  it('that cannot be read are complained of, without a word of them', async () => {
    await writeFile(join(home, '.terraformrc'), 'credentials "a.test" { token = "secret-1');
    const settings = await read();
    expect(settings.complaints).toHaveLength(1);
    expect(inspect(settings, { depth: 9 })).not.toMatch(/secret-1|from-login/);
    expect(settings.tokens('a.test')).toBe('from-login');
  });

  it('lie elsewhere on Windows', async () => {
    await mkdir(join(home, 'terraform.d'));
    await writeFile(join(home, 'terraform.rc'), 'credentials "w.test" { token = "w" }');
    expect((await read({ APPDATA: home }, 'win32')).tokens('w.test')).toBe('w');
  });
});
