/**
 * From nothing to the first answer: `postern serve` on a database that is there, until it has logged an instance in with a look at
 * the cloud, against a bare server with the same database and the same cloud, in turns.
 *
 * `--quick`: fewer rounds. Exit code 1 when a login is refused. Only Node's own modules are imported here: the bare server starts
 * from this file, too.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { report } from './figures.js';

const CLI = fileURLToPath(new URL('../../packages/cli/dist/cli.js', import.meta.url));
const SCRIPT = fileURLToPath(import.meta.url);

/** Milliseconds from the start of a process to its first answer. */
async function measure(args: readonly string[], path: string, body: string): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  try {
    const url = await urlOf(child);
    const response = await fetch(`${url}${path}`, { method: 'POST', body });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`the first login was refused: ${text}`);
    return performance.now() - startedAt;
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }
}

/** The first address that the process prints. */
function urlOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      const [url] = /http:\/\/127\.0\.0\.1:\d+(?=[^\d])/.exec(printed) ?? [];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => reject(new Error(`a server ended with ${code}: ${printed}`)));
  });
}

async function main(isQuick: boolean): Promise<void> {
  const [{ startChild }, { planCloud, prepare }] = await Promise.all([
    import('./logins/child-report.js'),
    import('./start/prepare.js'),
  ]);
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'));
  const plan = planCloud();
  const cloud = await startChild(SCRIPT, 'cloud', plan.input);
  try {
    const cloudUrl = `http://127.0.0.1:${cloud.port}`;
    const { configFile, database, publicKey, posternBody, bareBody } = await prepare(folder, plan, cloudUrl);
    const copy = join(folder, 'bare.db');
    copyFileSync(database, copy);
    const bareInput = JSON.stringify({ database: copy, publicKey, cloudUrl });
    const sides = {
      postern: () => measure([CLI, 'serve', '--config', configFile], '/v1/auth/cloud/login', posternBody()),
      bare: () => measure([SCRIPT, 'bare', bareInput], '/', bareBody()),
    };
    const times = { postern: [] as number[], bare: [] as number[] };
    for (let round = 0; round <= (isQuick ? 5 : 11); round += 1) {
      for (const side of round % 2 === 0 ? (['postern', 'bare'] as const) : (['bare', 'postern'] as const)) {
        const ms = await sides[side]();
        // The first of each reads the files from the disk.
        if (round > 0) times[side].push(ms);
      }
    }
    const ratios = times.postern.map((ms, round) => ms / (times.bare[round] ?? Number.NaN));
    report({ name: 'start to first login / bare', ratios, better: 'lower', target: 2 });
    const least = (all: readonly number[]) => Math.min(...all).toFixed(0);
    console.log(`  at least ${least(times.postern)} ms against ${least(times.bare)}`);
  } finally {
    await cloud.stop();
    rmSync(folder, { recursive: true });
  }
}

const [, , part, json = ''] = process.argv;
if (part === 'cloud') (await import('./one-connection/cloud-part.js')).runCloud(JSON.parse(json));
else if (part === 'bare') await (await import('./start/bare-part.js')).runBare(JSON.parse(json));
else await main(process.argv.includes('--quick'));
