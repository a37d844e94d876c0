/** The example as a newcomer runs it. */
import { expect, it } from 'vitest';
import { runExample } from '../run-example.js';

it('serves its own routes and those of Postern with one token', async () => {
  const { code, stdout, stderr } = await runExample('http-hono/main.mjs');
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout.trimEnd().split('\n')).toEqual([
    'role: 204',
    'login: 200 default, web',
    'hello with the token: 200 hello',
    'hello with none of ours: 401 permission_denied',
    'health: 200',
  ]);
});
