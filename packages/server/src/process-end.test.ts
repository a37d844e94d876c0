/** Warnings of the process are lines of the log. */
import { afterEach, expect, it } from 'vitest';
import { createLog } from './log.js';
import { logProcessWarnings } from './process-end.js';

const kept = process.listeners('warning');
afterEach(() => {
  process.removeAllListeners('warning');
  for (const listener of kept) process.on('warning', listener);
});

it('O8: a warning of a library is one JSON line, without the password of an address', async () => {
  const lines: string[] = [];
  logProcessWarnings(
    createLog(
      (line) => lines.push(line),
      'json',
      () => 0,
    ),
  );
  process.emitWarning('use Node 22\npostgres://u:p@db', { type: 'NodeDeprecationWarning', code: 'OLD' });
  process.emitWarning('cannot use postgres://u:hunter2@db/x');
  await new Promise((resolve) => setImmediate(resolve));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'warning', warning: 'NodeDeprecationWarning', code: 'OLD', text: 'use Node 22' },
    { level: 'warning', warning: 'Warning', text: 'cannot use postgres://db/x' },
  ]);
});
