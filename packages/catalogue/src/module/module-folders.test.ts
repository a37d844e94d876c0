/** The standard module structure: root, modules, examples, READMEs; and what is no part of it. */
import { afterEach, describe, expect, it } from 'vitest';
import { failureOf, type SetUp, setUp } from '../../test/set-up.js';
import { type TarEntry, tarGz } from '../../test/tar-writer.js';

const used: SetUp[] = [];
const publish = (...entries: readonly TarEntry[]) => {
  const made = setUp();
  used.push(made);
  return made.publish(tarGz(entries));
};
afterEach(() => {
  for (const each of used.splice(0)) each.remove();
});
const variable = (name: string, file: string): TarEntry => ({ name: file, content: `variable "${name}" {}\n` });

describe('the folders of a module', () => {
  it('are its root, its submodules and its examples, each with its README', async () => {
    const details = await publish(
      variable('root', 'main.tf'),
      { name: 'README.md', content: '# Network' },
      variable('subnet', 'modules/subnet/main.tf'),
      { name: 'modules/subnet/readme.MD', content: '# Subnet' },
      variable('acl', 'modules/acl/main.tf'),
      variable('basic', 'examples/basic/main.tf'),
      variable('deep', 'modules/subnet/internal/main.tf'),
      variable('test', 'tests/main.tf'),
      variable('loose', 'modules/loose.tf'),
      { name: 'modules/empty/README.md', content: '# Empty' },
    );
    expect(details.root).toMatchObject({ path: '', name: 'network', readme: '# Network', empty: false });
    expect(details.root.inputs.map(({ name }) => name)).toEqual(['root']);
    expect(details.submodules).toMatchObject([
      { path: 'modules/acl', name: 'acl', readme: '', empty: false, inputs: [{ name: 'acl' }] },
      { path: 'modules/empty', name: 'empty', readme: '# Empty', empty: true, inputs: [] },
      { path: 'modules/subnet', name: 'subnet', readme: '# Subnet', empty: false, inputs: [{ name: 'subnet' }] },
    ]);
    expect(details.examples).toMatchObject([{ path: 'examples/basic', name: 'basic', inputs: [{ name: 'basic' }] }]);
  });

  it('may leave the root empty when there are submodules', async () => {
    const { root } = await publish(variable('a', 'modules/a/main.tf'));
    expect(root).toMatchObject({ empty: true, inputs: [] });
  });

  it.each([
    ['README.txt', 'README.md', 'second'],
    ['README.md', 'README', 'first'],
    ['README', 'readme.markdown', 'second'],
  ])('prefer Markdown: of %s and %s the %s', async (first, second, expected) => {
    const { root } = await publish(
      variable('a', 'main.tf'),
      { name: first, content: 'first' },
      { name: second, content: 'second' },
    );
    expect(root.readme).toBe(expected);
  });

  it('read a README that is no UTF-8, too', async () => {
    const { root } = await publish(variable('a', 'main.tf'), {
      name: 'README.md',
      content: Uint8Array.of(0x61, 0xff, 0x62),
    });
    expect(root.readme).toBe('a\uFFFDb');
  });

  it.each(['.main.tf', '.#main.tf', '#main.tf#', 'main.tf~', 'main.tfvars', 'main.tf.bak', '.tf'])(
    'do not read %s, which is no configuration',
    async (name) => {
      expect(await failureOf(publish({ name, content: 'not { HCL' }))).toMatchObject({ code: 'module_invalid' });
      expect((await publish(variable('a', 'main.tf'), { name, content: 'not { HCL' })).root.inputs).toHaveLength(1);
    },
  );
});

describe('an archive of one folder', () => {
  it('is not unpacked a level deeper: it is refused, and the message says what to pack', async () => {
    const failure = await failureOf(publish(variable('a', 'network-1.0.0/main.tf')));
    expect(failure).toMatchObject({ code: 'module_invalid' });
    expect(failure instanceof Error ? failure.message : '').toContain('network-1.0.0');
  });
});

it('shows what an archive says in messages without its control characters', async () => {
  const name = `\u001b[31m${'x'.repeat(400)}\u202e`;
  const failure = await failureOf(publish({ name: `a/${name}`.slice(0, 99), content: 'x' }));
  expect(failure).toMatchObject({ code: 'archive_entry_path', place: { line: undefined } });
  const message = failure instanceof Error ? failure.message : '';
  expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(message.length).toBeLessThan(300);
});
