import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../test/set-up.js';
import type { ModuleFiles } from '../archive/module-files.js';
import { readModule } from './read-module.js';

/** An interpolation. */
const interpolated = (inner: string) => `\${${inner}}`;

/** A root of these files. */
const rootOf = (files: Readonly<Record<string, string>>): ModuleFiles => ({
  folders: [
    {
      path: '',
      configuration: Object.entries(files).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) })),
      readme: undefined,
    },
  ],
  fileCount: 1,
  topFolders: [],
});
const read = async (files: Readonly<Record<string, string>> | string) =>
  (await readModule(rootOf(typeof files === 'string' ? { 'main.tf': files } : files), 'network', undefined)).root;
const inputOf = async (attributes: string) => (await read(`variable "v" {\n${attributes}\n}\n`)).inputs[0];

describe('inputs', () => {
  it.each([
    ['a plain type', 'type = string', 'string'],
    [
      'a nested type',
      'type=map( object({a=optional(list(string),[])}))',
      'map( object({a=optional(list(string),[])}))',
    ],
    [
      'a type over lines',
      'type = object({\n  a = string # why\n  b = number\n})',
      'object({\n  a = string # why\n  b = number\n})',
    ],
    ['a type of the old form', 'type = "list"', 'list'],
    ['no type', '', ''],
  ])('keep %s as it is written', async (_, attributes, type) => {
    expect((await inputOf(attributes))?.type).toBe(type);
  });

  it.each([
    ['a string', '"a"', '"a"'],
    [
      'escapes',
      String.raw`"a\n\t\"b\" \\ \u00e9 \U0001F600 $${'$'}{x} %%{y}"`,
      JSON.stringify(`a\n\t"b" \\ é 😀 ${interpolated('x')} %{y}`),
    ],
    ['half a character', String.raw`"\ud800"`, '"\uFFFD"'],
    ['an empty string', '""', '""'],
    ['a number', '12.5e3', '12.5e3'],
    ['a negative number', '-3', '-3'],
    ['a large number', '123456789012345678901234567890', '123456789012345678901234567890'],
    ['a boolean', 'false', 'false'],
    ['null', 'null', 'null'],
    ['a list', '[1, "b", # c\n true,\n]', '[1,"b",true]'],
    ['an object', '{ a = 1, "b-c" : [] \n d = { e = null } }', '{"a":1,"b-c":[],"d":{"e":null}}'],
    ['a prototype', '{ __proto__ = 1 }', '{"__proto__":1}'],
    ['a heredoc', '<<EOT\nline 1\n  "line" 2\nEOT', JSON.stringify('line 1\n  "line" 2\n')],
    [
      'an indented heredoc',
      `<<-EOT\n    line 1\n\n      line $${interpolated('2')}\n    EOT`,
      JSON.stringify(`line 1\n\n  line ${interpolated('2')}\n`),
    ],
    ['an empty heredoc', '<<EOT\nEOT', '""'],
    ['brackets around', '(1)', '1'],
  ])('have %s as a default, in JSON', async (_, written, json) => {
    const input = await inputOf(`default = ${written}`);
    expect(input).toMatchObject({ default: json, required: false });
    expect(() => JSON.parse(json)).not.toThrow();
  });

  it.each([
    `"${interpolated('var.a')}"`,
    'var.a',
    '[1, var.a]',
    '{ (var.k) = 1 }',
    'merge({}, {})',
    '1 + 2',
    '007',
    `<<E\n${interpolated('var.a')}\nE`,
  ])('have what is no constant as it is written: %s', async (written) => {
    expect((await inputOf(`default = ${written}`))?.default).toBe(written);
  });

  it('are required without a default, sensitive when they say so, described in any form of string', async () => {
    const { inputs } = await read(
      'variable "a" {\n description = <<-EOT\n   What it is.\n   And why.\n   EOT\n sensitive = true\n}\nvariable b { sensitive = false }\n',
    );
    expect(inputs).toEqual([
      {
        name: 'a',
        type: '',
        description: 'What it is.\nAnd why.\n',
        default: undefined,
        required: true,
        sensitive: true,
      },
      { name: 'b', type: '', description: '', default: undefined, required: true, sensitive: false },
    ]);
  });
});

describe('a module', () => {
  it('tells outputs, calls, providers and resources, whatever the spacing and comments', async () => {
    const root = await read(
      `\uFEFF/* head */
      terraform { // required
        required_version = ">= 1.5"
        required_providers {
          aws = { source = "hashicorp/aws", version = ">= 5.0, < 7.0", configuration_aliases = [aws.a] }
          mine = { source = "registry.acme.test/acme/mine" }
          random = "~> 3.0"
        }
        backend "s3" {}
      }
      output "id"{value=aws_vpc.this.id,
      }
      output "secret" {
        description = "a \\"b\\""
        value = var.x
        sensitive = true
      }
      module "zones" {
        source  = "acme/zones/aws"
        version = "~> 2.0"
      }
      module "local" { source = "./modules/x" }
      module "git" { source = "git::https://git.acme.test/x.git//sub?ref=v1" }
      resource "aws_vpc" "this" {
        tags = { Name = "\${var.name}%{ if true }x%{ endif }" }
        dynamic "x" {
          for_each = var.y[*].z
          content {}
        }
      }
      resource google_thing "g" { provider = google-beta.eu }
      resource "terraform_data" "t" {}
      data "template_file" "f" {}
      locals { a = [for k, v in var.m : upper(k) if v != null] }
      moved {
        from = aws_vpc.a
        to = aws_vpc.this
      }
    `.replace('value=aws_vpc.this.id,', '\n value=aws_vpc.this.id'),
    );
    expect(root).toMatchObject({
      name: 'network',
      empty: false,
      outputs: [
        { name: 'id', description: '', sensitive: false },
        { name: 'secret', description: 'a "b"', sensitive: true },
      ],
      dependencies: [
        { name: 'zones', source: 'acme/zones/aws', version: '~> 2.0' },
        { name: 'git', source: 'git::https://git.acme.test/x.git//sub?ref=v1', version: '' },
      ],
      providerDependencies: [
        { name: 'aws', namespace: 'hashicorp', source: 'hashicorp/aws', version: '>= 5.0, < 7.0' },
        { name: 'mine', namespace: 'acme', source: 'registry.acme.test/acme/mine', version: '' },
        { name: 'random', namespace: 'hashicorp', source: '', version: '~> 3.0' },
        { name: 'google-beta', namespace: 'hashicorp', source: '', version: '' },
        { name: 'template', namespace: 'hashicorp', source: '', version: '' },
      ],
      resources: [
        { type: 'aws_vpc', name: 'this' },
        { type: 'google_thing', name: 'g' },
        { type: 'terraform_data', name: 't' },
      ],
    });
  });

  it('reads the same from JSON', async () => {
    const native = await read(`
      terraform {
        required_providers {
          aws = { source = "hashicorp/aws", version = "~> 5.0" }
        }
      }
      variable "a" {
        type = string
        description = "d"
        default = "x"
      }
      variable "b" { sensitive = true }
      output "o" { value = 1 }
      module "m" { source = "acme/x/aws" }
      resource "aws_vpc" "v" {}
    `);
    const json = JSON.stringify({
      '//': 'a comment',
      terraform: { required_providers: [{ aws: { source: 'hashicorp/aws', version: '~> 5.0' } }] },
      variable: [{ a: { type: 'string', description: 'd', default: 'x' } }, { '//': 'c', b: { sensitive: true } }],
      output: { o: [{ value: 1 }] },
      module: { m: { source: 'acme/x/aws' } },
      resource: { aws_vpc: { v: {} } },
      locals: 'not looked at',
    });
    expect(await read({ 'main.tf.json': json })).toEqual(native);
  });

  it('may have lines where the language lets them be', async () => {
    const { outputs } = await read(
      `output "a" { value = 1 }\noutput "b" {\n  value = "${interpolated('\n  f(1,\n 2)\n')}" # x\n  sensitive = (\n    true)\n}\n`,
    );
    expect(outputs.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('is changed by overriding files, whatever their place', async () => {
    const { inputs } = await read({
      'a_override.tf': 'variable "v" { default = 2 }\n',
      'main.tf': 'variable "v" {\n  type = number\n  default = 1\n}\n',
    });
    expect(inputs).toMatchObject([{ name: 'v', type: 'number', default: '2' }]);
  });

  it('is gathered from its files in their order', async () => {
    const { inputs } = await read({ 'b.tf': 'variable "b" {}\n', 'a.tf': 'variable "a" {}\n', 'c.tf.json': '{}' });
    expect(inputs.map(({ name }) => name)).toEqual(['a', 'b']);
  });
});

describe('configuration that does not parse', () => {
  it.each([
    ['a missing brace', 'variable "a" {\n  type = string\n', undefined],
    ['a missing value', '\n\nvariable "a" {\n  type =\n}\n', undefined],
    ['a stray brace', 'variable "a" {}\n}\n', 2],
    ['garbage', 'this is not HCL at all {{{\n', 1],
    ['an unclosed string', 'output "a" {\n  value = "x\n}\n', undefined],
    ['an unclosed heredoc', 'output "a" {\n  value = <<E\nx\n}\n', undefined],
    ['two arguments on a line', 'variable "a" {\n  type = string default = 1\n}\n', 2],
    ['two blocks on a line', 'variable "a" {}variable "b" {}\n', 1],
    ['a block over two lines', '\nvariable "a"\n{\n}\n', 2],
    ['a value on the next line', 'variable "a" {\n  default =\n    1\n}\n', 2],
    ['a string over two lines', 'output "a" {\n  value = "x\ny"\n}\n', 2],
    ['a string over two lines elsewhere', 'locals {\n  a = [\n    "x\ny"\n  ]\n}\n', 3],
    ['a template over two lines', `output "a" {\n  value = "x${interpolated('y')}\n"\n}\n`, 2],
    ['a name declared twice', 'variable "a" {}\n\nvariable "a" {}\n', 3],
    ['an argument given twice', 'variable "a" {\n  type = string\n  type = string\n}\n', 3],
    ['a block without its name', 'variable {}\n', 1],
    ['a block with a name too many', '\noutput "a" "b" {}\n', 2],
  ])('is refused with file and line: %s', async (_, text, line) => {
    const failure = await failureOf(read({ 'x.tf': text }));
    expect(failure).toMatchObject({ code: 'module_invalid', place: { path: 'x.tf' } });
    const at = failure instanceof Error && 'place' in failure ? failure.place : undefined;
    expect(at).toMatchObject({ line: line ?? expect.any(Number) });
  });

  it.each([
    ['{'],
    ['[1]'],
    ['"text"'],
    ['{"variable": {"a": 1}}'],
    ['{"output": "x"}'],
    [`{"variable":{"a":{"default":${'['.repeat(100_000)}${']'.repeat(100_000)}}}}`],
  ])('is refused in JSON: %.40s', async (text) => {
    expect(await failureOf(read({ 'x.tf.json': text }))).toMatchObject({
      code: 'module_invalid',
      place: { path: 'x.tf.json', line: undefined },
    });
  });

  it('is refused when it is not UTF-8', async () => {
    const files = rootOf({ 'x.tf': '' });
    const [folder] = files.folders;
    const broken = [{ ...folder!, configuration: [{ path: 'x.tf', bytes: Uint8Array.of(0xff, 0xfe) }] }];
    expect(await failureOf(readModule({ ...files, folders: broken }, 'n', undefined))).toMatchObject({
      code: 'module_invalid',
    });
  });
});

describe('any text', () => {
  const pieces = fc.constantFrom(
    'variable "a" ',
    '{',
    '}',
    '\n',
    '"',
    '${',
    '}',
    '[',
    ']',
    '<<E\n',
    'E\n',
    '=',
    'type',
    '#',
    '/*',
    '1',
    '.',
    '\\',
    'é',
    '\u0000',
    '%{',
    '(',
    ')',
    ' ',
  );
  it('is read or refused as invalid, and never anything else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 60 }), async (parts) => {
        const outcome = await failureOf(read(parts.join('')));
        if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'module_invalid' });
      }),
      { numRuns: 300 },
    );
  });

  it('that is a string comes back as it was put in', async () => {
    const quoted = (text: string) =>
      JSON.stringify(text)
        .replaceAll('${', '$${')
        .replaceAll('%{', '%%{')
        .replaceAll('\\b', '\\u0008')
        .replaceAll('\\f', '\\u000c');
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 30 }), async (text) => {
        fc.pre(!/[$%]$|[$%]{2}/.test(text));
        const input = await inputOf(`default = ${quoted(text)}`);
        expect(JSON.parse(input?.default ?? '')).toBe(text);
      }),
      { numRuns: 200 },
    );
  });
});
