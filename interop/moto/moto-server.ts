/** moto's server as a child process on a free port of the loopback address. It does not check signatures. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const STARTED_WITHIN_MS = 60_000;

export interface MotoServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Installs moto where it is missing, which takes up to a minute, and starts it. */
export async function startMoto(): Promise<MotoServer> {
  const command = execFileSync('bash', [setupScript()], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
  const child = spawn(command, ['-H', '127.0.0.1', '-p', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PYTHONUNBUFFERED: '1', NO_COLOR: '1' },
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`moto did not start: ${output}`)), STARTED_WITHIN_MS);
    const read = (chunk: Buffer): void => {
      // What it says of each request later must be read, too: a full pipe would stop it.
      if (output.length < 10_000) output += chunk.toString('utf8');
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    child.once('close', () => reject(new Error(`moto ended: ${output}`)));
  });
  return {
    url,
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function setupScript(): string {
  for (let folder = new URL('.', import.meta.url); folder.pathname !== '/'; folder = new URL('..', folder)) {
    if (existsSync(new URL('pnpm-workspace.yaml', folder))) {
      return fileURLToPath(new URL('scripts/interop/setup-moto.sh', folder));
    }
  }
  throw new Error('the repository was not found');
}
