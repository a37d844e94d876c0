/** docs/registry.md: its lines work as they stand, in their order, and its limits are the ones that hold. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DEFAULT_ARCHIVE_LIMITS } from '@postern/catalogue';
import { expect, it } from 'vitest';
import { startRegistryServer } from '../../test/registry-server.js';

const document = readFileSync(new URL('../../../../docs/registry.md', import.meta.url), 'utf8');
const blocks = [...document.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? '');

/** Every answer with its status behind it, in a file: what the lines print is JSON. */
const RECORDING = `curl() { command curl -w '%{stderr}%{http_code}\\n' "$@"; echo; }\n`;

it('works line by line', async () => {
  const { server, root, publish, stop } = await startRegistryServer();
  const folder = mkdtempSync(join(tmpdir(), 'postern-registry-document-'));
  try {
    await publish('1.1.0');
    mkdirSync(join(folder, 'network'));
    writeFileSync(join(folder, 'network', 'main.tf'), 'variable "cidr" {}\n');
    const script = blocks
      .join('\n')
      .replace('POSTERN=http://127.0.0.1:8200', `POSTERN=${server.url}`)
      .replace('TOKEN=…', `TOKEN=${root}`);
    const { stdout, stderr } = await promisify(execFile)('sh', ['-ec', RECORDING + script], { cwd: folder });
    const statuses = stderr.trim().split('\n');
    expect(statuses).toEqual(['201', '200', '200', '200', '200', '200', '200', '200', '200', '200', '200']);
    expect(stdout).toContain('"action":"deprecate"');
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await stop();
  }
});

it('names every limit as it is', () => {
  const documented = [...document.matchAll(/^\| `(max\w+)` \| (\d+) \|/gm)].map(([, name, value]) => [
    name,
    Number(value),
  ]);
  expect(Object.fromEntries(documented)).toEqual(DEFAULT_ARCHIVE_LIMITS);
});
