/** Policies in HCL and JSON as their authors write them (POLICY-6). */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePolicyText } from './policy-text.js';

const WANTED = { 'auth/aws/role/*': ['read', 'list'], 'auth/aws/config/client': ['deny'] };

describe('the text of a policy', () => {
  it.each([
    [
      'HCL',
      `# roles
       path "auth/aws/role/*" {
         capabilities = ["read", "list",] // both
       }
       /* never
          this ** one */
       path "auth/aws/config/client" { capabilities = ["deny"] }`,
    ],
    [
      'HCL with a name',
      `name = "ops"\npath "auth/aws/role/*" {capabilities=["read","list"]} path "auth/aws/config/client" {capabilities=["deny"]}`,
    ],
    [
      'JSON of Vault',
      JSON.stringify({
        path: Object.fromEntries(Object.entries(WANTED).map(([path, capabilities]) => [path, { capabilities }])),
      }),
    ],
    ['JSON of the configuration', JSON.stringify(WANTED)],
  ])('is read from %s', (_form, text) => {
    expect(parsePolicyText(text)).toEqual({ ok: true, policy: WANTED });
  });

  it.each([
    ['path "a" { capabilities = ["sudo"] }', 'unknown capability'],
    ['path "a" { capabilities = "read" }', 'expected ['],
    ['path "a" { policy = "read" }', 'policy is not supported'],
    ['path "a" { capabilities = ["read"] denied_parameters = {} }', 'denied_parameters is not supported'],
    ['path "a" { capabilities = ["read"] capabilities = ["list"] }', 'expected capabilities once'],
    ['path "a" { }', 'expected a list of capabilities'],
    ['path "a" { capabilities = ["read"] } path "a" { capabilities = ["list"] }', 'occurs twice'],
    ['path "" { capabilities = ["read"] }', 'is empty'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of HCL
    ['path "${identity.entity.id}" { capabilities = ["read"] }', 'templates are not supported'],
    ['path "a\\x" { capabilities = ["read"] }', 'cannot be read in line 1'],
    ['path "a" {\n capabilities = ["read"', 'expected ] at the end'],
    ['path a { }', 'expected a quoted text in line 1'],
    ['\n\nvariable "x" {}', 'expected path "…" { … } in line 3'],
    ['path "a" { capabilities = ["read"] } %', 'cannot be read in line 1'],
    ['/* no end', 'cannot be read in line 1'],
    ['{"path": {"a": {"capabilities": ["read"], "min_wrapping_ttl": 1}}}', 'min_wrapping_ttl is not supported'],
    ['{"path": {"a": ["read"]}}', 'expected an object'],
    ['{"path": {}, "paths": {}}', 'unknown member "paths"'],
    ['{"a": ["read"], "a": ["list"]}', 'occurs twice'],
    ['{"a": "read"}', 'expected a list of capabilities'],
    ['{', 'not a JSON object'],
    ['#'.repeat(70_000), 'longer than'],
    [
      JSON.stringify(Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`p${at}`, ['read']]))),
      'more than 500 paths',
    ],
  ])('%.60s is rejected', (text, problem) => {
    expect(parsePolicyText(text)).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
  });

  it('is read or rejected in bounded time, whatever it is', async () => {
    const piece = fc.constantFrom(
      'path',
      '"a"',
      '{',
      '}',
      '[',
      ']',
      '=',
      ',',
      '/*',
      '*/',
      '//',
      '#',
      '\n',
      ' ',
      '"',
      '\\',
      '${',
      'capabilities',
      '"read"',
    );
    await fc.assert(
      fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
        const parsed = parsePolicyText(pieces.join(''));
        expect(typeof parsed.ok).toBe('boolean');
      }),
      { numRuns: 300 },
    );
    const started = performance.now();
    for (const hostile of ['/*'.repeat(30_000), '"'.repeat(60_000), '/* *'.repeat(15_000), '['.repeat(60_000)]) {
      expect(parsePolicyText(hostile).ok).toBe(false);
    }
    expect(performance.now() - started).toBeLessThan(500);
  });
});
