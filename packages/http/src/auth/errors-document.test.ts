/** docs/errors.md names every code with the status and kind that it has, and no code that is gone. */
import { readFileSync } from 'node:fs';
import { AuthError, type AuthErrorCode, ERROR_KINDS } from '@postern/core-auth';
import { expect, it } from 'vitest';
import { errorResponse } from './answer.js';
import { WIRE_PROFILES } from './wire-profile.js';

const whole = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');
const [document = ''] = whole.split('## The registry');

const documented = [...document.matchAll(/^\| `(\w+)` \| (\d{3}) \| (\w+) \| \S/gm)].map(
  ([, code, status, kind]) => [code ?? '', `${status} ${kind}`] as const,
);

const actual = (Object.keys(ERROR_KINDS) as AuthErrorCode[]).map((code) => {
  const { status } = errorResponse(new AuthError(code, 'text'), 'request', WIRE_PROFILES.neutral);
  return [code, `${status} ${ERROR_KINDS[code]}`] as const;
});

it('names every code once, as it is', () => {
  expect(new Set(documented.map(([code]) => code)).size).toBe(documented.length);
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(actual));
});
