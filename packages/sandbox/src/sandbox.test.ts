/** The sandbox as a newcomer meets it: one command, a tour that goes as it should, lines that work when pasted. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PosternProcess, startPostern } from '@postern/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let folder: string;
const running: PosternProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-sandbox-'));
});
afterEach(async () => {
  for (const child of running.splice(0)) {
    child.signal('SIGKILL');
    await child.ended;
  }
  rmSync(folder, { recursive: true });
});

function sandbox(...args: string[]): PosternProcess {
  const started = startPostern(['sandbox', '--port', '0', ...args], { cwd: folder });
  running.push(started);
  return started;
}

async function until(found: () => boolean): Promise<void> {
  for (let waits = 0; !found(); waits += 1) {
    if (waits > 600) throw new Error('it did not come');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

describe('postern sandbox --once', () => {
  it('goes through every step and ends with 0, twice on the same folder; shows no token or nonce whole, and keeps none', async () => {
    for (let time = 0; time < 2; time += 1) {
      const started = sandbox('--once', '--data', 'here');
      expect(await started.ended, started.stdout() + started.stderr()).toBe(0);
      const told = started.stdout();
      for (const code of ['nonce_mismatch', 'evidence_unverified', 'permission_denied']) expect(told).toContain(code);
      expect(told).toContain('All steps succeeded');
      expect(told).not.toContain('\u001b');
      expect(told).toMatch(/"client_token": "[^"]{1,10}…"/);
      expect(told).not.toMatch(/"(?:client_token|nonce|pkcs7|id)": "[^"…]{11,}"/);
      expect(started.stderr()).toBe('');
    }
    expect(readdirSync(folder)).toEqual(['here']);
    expect(readdirSync(join(folder, 'here')).sort()).toEqual(expect.arrayContaining(['audit.log', 'postern.db']));
    expect(readFileSync(join(folder, 'here', 'audit.log'), 'utf8')).toContain('"code":"nonce_mismatch"');
  }, 60_000);

  it('says so when another sandbox has the folder', async () => {
    const first = sandbox();
    await until(() => first.stdout().includes('The server keeps running'));
    const second = sandbox('--once');
    expect(await second.ended).toBe(1);
    expect(second.stderr()).toContain('postern.db');

    // The terminal of the first is closed: it ends in order, its root token revoked.
    first.signal('SIGHUP');
    expect(await first.ended).toBe(0);
    const trail = readFileSync(join(folder, 'postern-data', 'audit.log'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(JSON.parse(trail.at(-1) ?? '')).toMatchObject({ operation: 'token.revoke-self', outcome: 'allowed' });
  }, 60_000);
});

describe('postern sandbox', () => {
  it('that is ended in the middle of the tour ends in order, its root token revoked', async () => {
    const started = sandbox();
    await until(() => started.stdout().includes('←'));
    started.signal('SIGINT');
    expect(await started.ended).toBe(0);
    expect(started.stdout()).not.toContain('failed');
    const trail = readFileSync(join(folder, 'postern-data', 'audit.log'), 'utf8');
    expect(trail).toMatch(/"operation":"token.revoke-self","outcome":"allowed"/);
  }, 60_000);

  it('goes on serving; the lines that it prints work as they stand; Ctrl-C ends it', async () => {
    const started = sandbox();
    await until(() => started.stdout().includes('registry check postern-data'));
    const script = started
      .stdout()
      .split('\n')
      .filter((line) => /^ {2}(?:export |curl |TF_TOKEN)/.test(line))
      .map((line) => (line.includes('curl') ? `${line} -w '\\n%{http_code}\\n'` : line))
      .join('\n');
    const printed = execFileSync('sh', ['-c', script], { cwd: folder, encoding: 'utf8' });
    expect(printed.match(/^\d{3}$/gm)).toEqual(['200', '200', '200', '200', '204', '200', '200']);
    expect(printed).toContain('Use 1.2.0 instead.');
    expect(printed).toContain('1 deprecated, 0 revoked.');
    const token = /export TOKEN=(\S+)/.exec(started.stdout())?.[1] ?? '';
    const url = /export POSTERN=(\S+)/.exec(started.stdout())?.[1] ?? '';
    const lookup = () => fetch(`${url}/v1/auth/token/lookup-self`, { headers: { 'x-service-token': token } });
    expect((await lookup()).status).toBe(200);
    started.signal('SIGINT');
    expect(await started.ended).toBe(0);
  }, 60_000);
});
