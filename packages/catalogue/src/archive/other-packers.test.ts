/** What the packers of others make is taken, and what the unpackers of others make of it is what was read. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf, setUp } from '../../test/set-up.js';

const root = mkdtempSync(join(tmpdir(), 'postern-packers-'));
const folder = join(root, 'module');
const long = `${'a'.repeat(90)}/${'b'.repeat(90)}/${'c'.repeat(90)}.txt`;

beforeAll(() => {
  const files = {
    'main.tf': 'variable "x" {}\n',
    'README.md': '# é',
    'modules/sub/main.tf': 'output "y" { value = 1 }\n',
    'é ü.txt': 'x',
    [long]: 'long',
    'large.bin': 'x'.repeat(200_000),
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
});
afterAll(() => rmSync(root, { recursive: true }));

const run = (command: string, args: readonly string[], cwd = folder) =>
  spawnSync(command, args, { cwd, env: { ...process.env, LC_ALL: 'C.UTF-8' } });
const has = (command: string) => run(command, ['--version'], root).error === undefined;

const PYTHON_ZIP =
  'import sys,zipfile,os\nz=zipfile.ZipFile(sys.argv[1],"w",zipfile.ZIP_DEFLATED)\n[z.write(os.path.join(d,f)) for d,_,fs in os.walk(".") for f in fs]\nz.close()';
const PYTHON_TAR =
  'import sys,tarfile\nt=tarfile.open(sys.argv[1],"w:gz",format=int(sys.argv[2]))\nt.add(".")\nt.close()';

const PACKERS: readonly (readonly [string, string, (out: string) => readonly string[]])[] = [
  ['GNU tar', 'tar', (out) => ['czf', out, '.']],
  ['GNU tar, pax', 'tar', (out) => ['czf', out, '--format=pax', '.']],
  ['GNU tar, ustar names cut short', 'tar', (out) => ['czf', out, '--format=ustar', '--exclude=aaa*', '.']],
  [
    'GNU tar, sorted and owned by nobody',
    'tar',
    (out) => ['czf', out, '--owner=0', '--group=0', '--sort=name', 'main.tf', 'modules', long],
  ],
  ['Info-ZIP', 'zip', (out) => ['-qr', out, '.']],
  ['Info-ZIP, without folders, stored', 'zip', (out) => ['-qrD0', out, '.']],
  ['Python zipfile', 'python3', (out) => ['-c', PYTHON_ZIP, out]],
  ['Python tarfile, pax', 'python3', (out) => ['-c', PYTHON_TAR, out, '2']],
  ['Python tarfile, GNU', 'python3', (out) => ['-c', PYTHON_TAR, out, '1']],
];

describe('an archive packed by', () => {
  for (const [name, command, args] of PACKERS) {
    it.skipIf(!has(command))(`${name} is taken`, async () => {
      const out = join(root, `${name.replaceAll(/\W/g, '')}.${name.toLowerCase().includes('zip') ? 'zip' : 'tgz'}`);
      const packed = run(command, args(out));
      expect(packed.status, packed.stderr?.toString()).toBe(0);
      const { publish, remove } = setUp();
      const details = await publish(readFileSync(out));
      expect(details.root.inputs.map((input) => input.name)).toEqual(['x']);
      expect(details.submodules.map(({ path }) => path)).toEqual(['modules/sub']);
      remove();
    });
  }

  it.skipIf(!has('tar'))('GNU tar is refused with a link in it', async () => {
    const linked = join(root, 'linked');
    mkdirSync(linked);
    writeFileSync(join(linked, 'main.tf'), '');
    symlinkSync('/etc/passwd', join(linked, 'evil.tf'));
    run('tar', ['czf', join(root, 'linked.tgz'), '.'], linked);
    run('zip', ['-qry', join(root, 'linked.zip'), '.'], linked);
    for (const name of ['linked.tgz', ...(has('zip') ? ['linked.zip'] : [])]) {
      const { publish, remove } = setUp();
      expect(await failureOf(publish(readFileSync(join(root, name))))).toMatchObject({ code: 'archive_entry_link' });
      remove();
    }
  });
});
