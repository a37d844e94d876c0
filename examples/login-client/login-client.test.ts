/** The example as a newcomer runs it, twice: the second run is another instance beside the nonces of the first. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runExample } from '../run-example.js';

const folder = mkdtempSync(join(tmpdir(), 'postern-login-client-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('logs in, renews, finds its nonce again, and leaves a stranger outside', async () => {
  for (let time = 1; time <= 2; time += 1) {
    const { code, stdout, stderr } = await runExample('login-client/main.mjs', { cwd: folder });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n').filter((line) => line !== '')).toEqual([
      'login: default, web for 3 s',
      'renew: default, web for 3 s',
      'still the same token: true',
      'login: default, web for 3 s',
      'started again, let in by the nonce that was kept',
      'a stranger with the same document: nonce_mismatch',
    ]);
    expect(readdirSync(join(folder, 'postern-data/nonces'))).toHaveLength(time);
  }
});
