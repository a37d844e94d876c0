/** node-vault, the Node client of Vault, as its users install it: the whole life of the method (WIRE-4, TOKEN-6). */
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runClientProgram } from './client-program.js';
import { openVaultSite, type VaultSite } from './vault-site.js';

const LIFE = fileURLToPath(new URL('node-vault/life.mjs', import.meta.url));

let site: VaultSite;

beforeEach(async () => {
  site = await openVaultSite();
});
afterEach(() => site.close());

it.each([
  { name: 'with the verb LIST', noCustomHTTPVerbs: false },
  { name: 'with GET ?list=1', noCustomHTTPVerbs: true },
])(
  'node-vault configures, logs in, lists, tidies and ends tokens, unmodified: $name',
  async ({ noCustomHTTPVerbs }) => {
    const report = await runClientProgram([process.execPath, LIFE], { ...site.briefing, noCustomHTTPVerbs });
    console.log(report.stdout);
    expect(report.stderr).toBe('');
    expect(report.exitCode).toBe(0);
  },
);
