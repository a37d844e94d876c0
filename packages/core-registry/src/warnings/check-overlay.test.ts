/** The overlay: who gets it, and that its text is only text (OVERLAY-1). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTestRegistry, V1 } from '../../test/create-test-registry.js';
import { acceptsCheckOverlay, checkOverlay, hclString } from './check-overlay.js';

describe('a client', () => {
  it.each<[string | undefined, string | undefined, boolean]>([
    ['Terraform/1.15.9', '1.15.9', true],
    ['Terraform/1.5.0', undefined, true],
    ['HashiCorp Terraform/1.5.0 (+https://www.terraform.io)', '1.5.0', true],
    ['OpenTofu/1.6.0', '1.6.0', true],
    ['OpenTofu/1.12.6 (+https://opentofu.org)', '1.12.6', true],
    ['Terraform/1.4.7', '1.4.7', false],
    ['Terraform/1.5.0-beta1', '1.5.0-beta1', false],
    ['Terraform/1.9.0-dev', '1.9.0-dev', true],
    ['OpenTofu/1.5.9', '1.5.9', false],
    ['Terraform/1.5.0', '1.4.0', false],
    ['Terraform/1.4.0', '1.5.0', false],
    ['Terraform/1.5.0', 'new', false],
    ['Terraform/latest', '1.5.0', false],
    ['Go-http-client/1.1', '1.15.9', false],
    ['NotTerraform/1.15.9', '1.15.9', false],
    ['curl/8.0', undefined, false],
    [undefined, '1.15.9', false],
    [undefined, undefined, false],
  ])('that says %j and %j gets it: %s', (userAgent, terraformVersion, expected) => {
    expect(acceptsCheckOverlay({ userAgent, terraformVersion })).toBe(expected);
  });
});

describe('the overlay', () => {
  it('is a check that never holds and says why', async () => {
    const { registry, manager, reader } = createTestRegistry();
    expect(checkOverlay(await registry.open(reader()).status(V1), ['modules/a'])).toEqual([]);
    await registry.open(manager()).deprecate(V1, {
      reason: `Was "open" by \${default}.\nSee %{if}.`,
      link: 'https://x.example/',
      replacement: { version: '~> 2.0' },
    });
    const [file, ...others] = checkOverlay(await registry.open(reader()).status(V1));
    expect(others).toEqual([]);
    expect(file).toEqual({
      path: 'zz_postern_deprecation.tf',
      content: `# Added by the registry: this version of the module is deprecated.
check "postern_deprecation" {
  assert {
    condition     = path.module == ""
    error_message = "Module version 1.0.0 of acme/network/aws is deprecated. Was \\"open\\" by $\${default}.\\nSee %%{if}. Use version ~> 2.0 instead. More information: https://x.example/"
  }
}
`,
    });
    await registry.open(manager()).deprecate(V1, {});
    expect(checkOverlay(await registry.open(reader()).status(V1))[0]?.content).toContain(
      'error_message = "Module version 1.0.0 of acme/network/aws is deprecated."\n',
    );
  });

  it('R-B4: is in each submodule too, for a call loads that folder alone; in so many as it may be', async () => {
    const { registry, manager, reader } = createTestRegistry();
    await registry.open(manager()).deprecate(V1, { reason: 'r' });
    const status = await registry.open(reader()).status(V1);
    const [root, ...others] = checkOverlay(status, ['modules/a', 'modules/b']);
    expect(others.map(({ path }) => path)).toEqual([
      'modules/a/zz_postern_deprecation.tf',
      'modules/b/zz_postern_deprecation.tf',
    ]);
    for (const { content } of others) expect(content).toBe(root?.content);
    expect(
      checkOverlay(
        status,
        Array.from({ length: 300 }, (_, at) => `modules/m${at}`),
      ),
    ).toHaveLength(201);
  });
});

/** Reads a quoted string as the configuration language does; undefined where it would interpolate or end early. */
function readHcl(literal: string): string | undefined {
  let text = '';
  let rest = literal.slice(1, -1);
  while (rest !== '') {
    const match = /^(?:\\([nrt"\\])|\\u([0-9a-f]{4})|(\$\$|%%)\{|([^"\\\n]))/u.exec(rest) ?? undefined;
    if (match === undefined || /^[$%]\{/.test(rest)) return undefined;
    const [all, short, unicode, opening, plain] = match;
    if (short !== undefined) text += { n: '\n', r: '\r', t: '\t' }[short] ?? short;
    else if (unicode !== undefined) text += String.fromCharCode(Number.parseInt(unicode, 16));
    else if (opening !== undefined) text += `${opening.charAt(0)}{`;
    else text += plain;
    rest = rest.slice(all.length);
  }
  return text;
}

describe('a quoted string', () => {
  it('means exactly the text it was made of', () => {
    const text = fc.string({
      unit: fc.constantFrom('$', '%', '{', '}', '"', '\\', '\n', '\t', '\r', '\u001b', 'n', 'u', 'a'),
    });
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), (some) => {
        const literal = hclString(some);
        expect(literal).not.toMatch(/\p{Cc}/u);
        expect(readHcl(literal)).toBe(some);
      }),
      { numRuns: 2000 },
    );
  });
});
