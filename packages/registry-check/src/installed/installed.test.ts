/** What is installed, from the two lists that clients write, and which of it is of a registry. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseInstalledModules, readInstalledModules } from '../index.js';
import { InstalledModulesError } from './installed-module.js';
import { parseHost, parseRegistrySource, sourceText } from './registry-source.js';
import { usedVersions } from './used-versions.js';

const SOURCE = 'registry.acme.test/acme/network/aws';

describe('a list of installed modules', () => {
  it.each([
    ['the manifest', { Modules: [{ Key: 'a.b', Source: SOURCE, Version: '1.0.0', Dir: 'x' }] }],
    [
      'the output of the command',
      { format_version: '1.0', modules: [{ key: 'a.b', source: SOURCE, version: '1.0.0' }] },
    ],
  ])('may be %s', (_name, document) => {
    expect(parseInstalledModules(JSON.stringify(document))).toEqual([{ key: 'a.b', source: SOURCE, version: '1.0.0' }]);
  });

  it('has modules without a version', () => {
    const text = '{"Modules":[{"Key":"","Source":"","Dir":"."},{"Key":"a","Source":"./m","Version":""}]}';
    expect(parseInstalledModules(text).map(({ version }) => version)).toEqual([undefined, undefined]);
  });

  it.each(['', 'null', '[]', '{}', '{"Modules":{}}', '{"Modules":[null]}', '{"Modules":[{"Key":"a"}]}'])(
    'is not %j',
    (text) => {
      expect(() => parseInstalledModules(text)).toThrow(InstalledModulesError);
    },
  );

  it('has an end', () => {
    const Modules = Array.from({ length: 10_001 }, () => ({ Key: 'a', Source: './m' }));
    expect(() => parseInstalledModules(JSON.stringify({ Modules }))).toThrow(InstalledModulesError);
  });

  it('is a list or an error of its own, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        try {
          parseInstalledModules(text);
        } catch (error) {
          expect(error).toBeInstanceOf(InstalledModulesError);
        }
      }),
    );
  });
});

describe('the source', () => {
  it.each([
    [SOURCE, SOURCE],
    [`${SOURCE}//modules/x`, SOURCE],
    ['Registry.Acme.Test:443/acme/network/aws', SOURCE],
    ['127.0.0.1:8443/acme/network/aws', '127.0.0.1:8443/acme/network/aws'],
    ['bücher.test/acme/network/aws', 'xn--bcher-kva.test/acme/network/aws'],
    ['acme/network/aws', 'registry.terraform.io/acme/network/aws'],
    ['./acme/network/aws', undefined],
    ['../network/aws', undefined],
    ['/a/b/c', undefined],
    ['git::https://x.test/a/b/c', undefined],
    ['https://x.test/a.zip', undefined],
    ['a@b/acme/network/aws', undefined],
    ['a/b', undefined],
    ['a/b/c/d/e', undefined],
    ['registry.acme.test/acme/net work/aws', undefined],
    ['registry.acme.test/acme/\u001b[2J/aws', undefined],
    ['', undefined],
  ])('%j is of %j', (source, expected) => {
    const module = parseRegistrySource(source);
    expect(module && sourceText(module)).toBe(expected);
  });

  it('names a host that is the same when it is named again', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.domain(), fc.ipV4(), fc.webAuthority()), (text) => {
        const host = parseHost(text);
        if (host === undefined) return;
        expect(parseHost(host)).toBe(host);
        expect(host).toMatch(/^[^/@?#\s]+$/);
      }),
    );
  });
});

it('asks about every version of a module once, with all who call it', () => {
  const { versions, unrecognised, others } = usedVersions([
    { key: '', source: '', version: undefined },
    { key: 'a', source: SOURCE, version: '1.0.0' },
    { key: 'a.b', source: `${SOURCE}//modules/b`, version: '1.0.0' },
    { key: 'c', source: SOURCE, version: '2.0.0' },
    { key: 'd', source: './d', version: undefined },
    { key: 'e', source: './e', version: '1.0.0' },
  ]);
  expect(versions.map(({ version, callers }) => [version, callers])).toEqual([
    ['1.0.0', ['module.a', 'module.a.module.b']],
    ['2.0.0', ['module.c']],
  ]);
  expect(unrecognised.map(({ key }) => key)).toEqual(['e']);
  expect(others).toBe(1);
});

describe('a working directory', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postern-check-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const put = async (data: string, text: string) => {
    await mkdir(join(data, 'modules'), { recursive: true });
    await writeFile(join(data, 'modules', 'modules.json'), text);
  };
  const manifest = JSON.stringify({ Modules: [{ Key: 'a', Source: SOURCE, Version: '1.0.0', Dir: 'x' }] });

  it('tells what is installed in it, or where its data are', async () => {
    await put(join(folder, '.terraform'), manifest);
    expect(await readInstalledModules(folder)).toHaveLength(1);
    await put(join(folder, 'data'), '{"Modules":[]}');
    expect(await readInstalledModules(folder, join(folder, 'data'))).toEqual([]);
  });

  it('R-B12: tells it behind a byte order mark too', async () => {
    await put(join(folder, '.terraform'), `\ufeff${manifest}`);
    expect(await readInstalledModules(folder)).toHaveLength(1);
  });

  it('that tells nothing is not one without modules', async () => {
    await expect(readInstalledModules(folder)).rejects.toMatchObject({ code: 'not_installed' });
    await expect(readInstalledModules(join(folder, 'x'))).rejects.toMatchObject({ code: 'not_installed' });
    await put(join(folder, '.terraform'), '{');
    await expect(readInstalledModules(folder)).rejects.toMatchObject({ code: 'manifest_invalid' });
    await put(join(folder, 'large'), ' '.repeat(16 * 1024 * 1024 + 1));
    const large = readInstalledModules(folder, join(folder, 'large'));
    await expect(large).rejects.toMatchObject({ code: 'manifest_unreadable' });
    await mkdir(join(folder, 'odd', 'modules', 'modules.json'), { recursive: true });
    await expect(readInstalledModules(folder, join(folder, 'odd'))).rejects.toMatchObject({
      code: 'manifest_unreadable',
    });
  });

  it.each([
    ['main.tf', 'locals {\n  module = 1\n  a = "module"\n}\noutput "x" { value = local.module } # a module "x" {\n'],
    ['main.tf.json', '{"locals":{"module":1}}'],
    ['main.tofu', ''],
  ])('R-B6: whose configuration calls no modules has none: %s', async (name, text) => {
    await writeFile(join(folder, name), text);
    expect(await readInstalledModules(folder)).toEqual([]);
  });

  it.each([
    ['main.tf', 'locals {}\n  module "a" {\n}\n'],
    ['main.tf', '\uFEFFmodule a {\n}\n'],
    ['main.tf', '/* one\n two */ module "a" {\n}\n'],
    ['main.tf', 'locals {}\rmodule "a" {}'],
    ['main.tofu', '\tmodule "a" {\n}'],
    ['main.tf.json', '{"\\u006dodule":{"a":{"source":"./a"}}}'],
    ['main.tf.json', '[{},{"module":{}}]'],
    ['main.tf.json', '{'],
    ['notes.txt', 'no module'],
  ])('R-B6: whose configuration may call some needs the manifest: %s %j', async (name, text) => {
    await writeFile(join(folder, name), text);
    await expect(readInstalledModules(folder)).rejects.toMatchObject({ code: 'not_installed' });
  });
});
