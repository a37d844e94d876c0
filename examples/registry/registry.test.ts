/** The example as a newcomer runs it. */
import { expect, it } from 'vitest';
import { runExample } from '../run-example.js';

it('deprecates, tells clients, and hands out archives, over a catalogue of its own', async () => {
  const { code, stdout, stderr } = await runExample('registry/main.mjs');
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout.trimEnd().split('\n')).toEqual([
    'audit: registry.version.deprecate denied ci',
    'by ci: 404',
    'audit: registry.version.deprecate allowed release',
    'event: 1.0.0 active → deprecated Open to the world.',
    'by release: 200',
    '2.0.0 active',
    '1.1.0 active',
    '1.0.0 Open to the world.',
    'audit: registry.version.archive allowed ',
    'archive: 200 application/gzip',
    'audit: registry.module.deprecate-range allowed release',
    'dry run: 1.0.0 revise planned',
    'dry run: 1.1.0 deprecate planned',
  ]);
});
