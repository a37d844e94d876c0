/** The example as a newcomer runs it, and what it leaves behind. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runExample } from '../run-example.js';

const folder = mkdtempSync(join(tmpdir(), 'postern-embed-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('logs an instance in, refuses a guessed nonce, and finds its database again', async () => {
  for (let time = 0; time < 2; time += 1) {
    const { code, stdout, stderr } = await runExample('embed/main.mjs', { cwd: folder });
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => line !== '')).toEqual([
      'audit: role.write allowed ',
      'audit: config.certificate.write allowed ',
      'audit: login allowed ',
      expect.stringMatching(/^i-[0-9a-f]{17} has a token with the policies default, web$/),
      'audit: login denied nonce_mismatch',
      'the same document with another nonce: nonce_mismatch',
    ]);
  }
  expect(existsSync(join(folder, 'postern-data/embed.db'))).toBe(true);
});
