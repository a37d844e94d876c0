/** hvac, the Python client of Vault, as its users install it: the whole life of the method (WIRE-4, TOKEN-6). */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { runClientProgram } from './client-program.js';
import { openVaultSite, type VaultSite } from './vault-site.js';

const SETUP = fileURLToPath(new URL('../../scripts/interop/setup-vault-clients.sh', import.meta.url));
const LIFE = fileURLToPath(new URL('hvac/life.py', import.meta.url));

let python: string;
let site: VaultSite;

beforeAll(() => {
  python = execFileSync(SETUP, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
});
beforeEach(async () => {
  site = await openVaultSite();
});
afterEach(() => site.close());

it.each([
  { name: 'with the verb LIST', strict: false },
  { name: 'with GET ?list=true', strict: true },
])('hvac configures, logs in, lists, tidies and ends tokens, unmodified: $name', async ({ strict }) => {
  const report = await runClientProgram([python, '-B', LIFE], { ...site.briefing, strict_http: strict });
  console.log(report.stdout);
  expect(report.stderr).toBe('');
  expect(report.exitCode).toBe(0);
});
