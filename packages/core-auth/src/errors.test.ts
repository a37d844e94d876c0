/** What of an error is for the host alone stays out of whatever prints it (ERROR-4, THREAT-36). */
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AuthError } from './errors.js';

describe('an error whose cause quotes a secret', () => {
  const cause = new Error('INSERT failed, parameters: canary');
  const error = new AuthError('internal', 'internal error', { cause, details: { field: 'role' } });

  it.each([
    ['inspected', () => inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })],
    ['inspected within another', () => inspect({ answers: [error] }, { depth: Number.POSITIVE_INFINITY })],
    ['as JSON', () => JSON.stringify(error)],
    ['as text', () => String(error)],
  ])('does not tell it %s', (_name, print) => {
    expect(print()).not.toContain('canary');
  });

  it('keeps its cause as a member, and shows code and place', () => {
    expect(error.cause).toBe(cause);
    expect(inspect(error)).toMatch(/internal error[\s\S]*errors\.test\.ts[\s\S]*"code":"internal"/);
  });
});
