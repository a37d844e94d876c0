/** The guide tells what happens: every command of docs/guide.md with an arrow is run against a sandbox, in order. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type PosternProcess, startPostern } from '@postern/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const guide = readFileSync(new URL('../../../docs/guide.md', import.meta.url), 'utf8');

/** Shell blocks that set a variable of the page or say what they answer; the others start things or need your files. */
const blocks = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
  .map((match) => match[1] ?? '')
  .filter((block) => block.includes('# → ') || /^[A-Z]+=/.test(block));

interface Command {
  readonly script: string;
  /** `204`, `400 nonce_mismatch`. */
  readonly expected: string;
}

const commands: readonly Command[] = blocks.flatMap((block) =>
  [...block.matchAll(/([\s\S]*?)^# → (.+)$/gm)].map((match) => ({ script: match[1] ?? '', expected: match[2] ?? '' })),
);

/** Lines that stand in a block without an arrow, before its first command or as the whole block. */
const preparations = blocks.filter((block) => !block.includes('# → '));

const SEPARATOR = '=== answer ===';
const folder = mkdtempSync(join(tmpdir(), 'postern-guide-'));
let sandbox: PosternProcess;
let answers: readonly string[];

beforeAll(async () => {
  sandbox = startPostern(['sandbox', '--port', '0'], { cwd: folder });
  for (let waits = 0; !sandbox.stdout().includes('-X DELETE'); waits += 1) {
    if (waits > 600) throw new Error(`the sandbox did not come:\n${sandbox.stderr()}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  // Every curl of the page adds its status, so that the page need not.
  writeFileSync(join(folder, '.curlrc'), 'write-out = "\\n%{http_code}"\n');
  const exports = sandbox
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('  export '));
  const script = [
    ...exports,
    ...preparations,
    ...commands.map((command) => `${command.script}\necho; echo '${SEPARATOR}'`),
  ].join('\n');
  const { stdout } = await promisify(execFile)('sh', ['-c', script], {
    cwd: folder,
    env: { ...process.env, CURL_HOME: folder, HOME: folder },
  });
  answers = stdout.split(SEPARATOR).slice(0, -1);
}, 60_000);

afterAll(async () => {
  sandbox.signal('SIGKILL');
  await sandbox.ended;
  rmSync(folder, { recursive: true });
});

describe('docs/guide.md', () => {
  it('is run command by command', () => {
    expect(commands.length).toBeGreaterThan(50);
    expect(answers).toHaveLength(commands.length);
  });

  it.each(commands.map((command, at) => ({ ...command, at })))('$at: answers $expected', ({ at, expected, script }) => {
    const answer = answers[at] ?? '';
    const status = /(\d{3})\s*$/.exec(answer)?.[1];
    const code = /"errors":\[[^\]]*\],"code":"([a-z_]+)"/.exec(answer)?.[1];
    expect([status, code].filter((part) => part !== undefined).join(' '), script).toBe(expected);
  });
});
