/** The client's table of names against the server's, and its kinds of errors against those of the server's codes. */
import { ERROR_KINDS } from '@postern/core-auth';
import { type ProfileName, WIRE_PROFILES } from '@postern/http';
import { describe, expect, it } from 'vitest';
import { answerError } from './login/answer-error.js';
import { CLIENT_PROFILES } from './wire-profile.js';

it.each<ProfileName>(['neutral', 'vault'])('in the %s profile both sides say the same', (name) => {
  const { tokenHeader, serverIdHeader, defaultMountPath } = WIRE_PROFILES[name];
  expect(CLIENT_PROFILES[name]).toMatchObject({ tokenHeader, serverIdHeader, defaultMountPath });
  expect(Object.keys(CLIENT_PROFILES)).toEqual(Object.keys(WIRE_PROFILES));
});

const STATUS = { denied: 400, forbidden: 403, misconfigured: 502, unavailable: 503 } as const;
/** Of a login, of a token's own calls, and of any request. */
const OWN_INVALID = [
  'body_invalid',
  'field_invalid',
  'field_missing',
  'login_fields_missing',
  'login_fields_ambiguous',
];

describe('the kind', () => {
  const kindOf = (status: number, code?: string) =>
    answerError({
      status,
      headers: new Headers(),
      body: code === undefined ? undefined : { code },
      now: 0,
      secrets: [],
    }).kind;

  it.each(Object.entries(STATUS))('is %s for each code of that kind', (kind, status) => {
    const codes = Object.entries(ERROR_KINDS).filter(([, of]) => of === kind);
    expect(codes.length).toBeGreaterThan(1);
    for (const [code] of codes) expect([code, kindOf(status, code)]).toEqual([code, kind]);
  });

  it.each([...OWN_INVALID, 'token_not_revocable'])('is invalid for %s', (code) => {
    expect(new Map<string, string>(Object.entries(ERROR_KINDS)).get(code)).toBe('invalid');
    expect(kindOf(400, code)).toBe('invalid');
  });

  it.each<[number, string | undefined, string]>([
    [400, undefined, 'denied'],
    [401, undefined, 'forbidden'],
    [403, undefined, 'forbidden'],
    [404, undefined, 'not_found'],
    [404, 'unsupported_path', 'invalid'],
    [405, 'unsupported_operation', 'invalid'],
    [413, 'body_too_large', 'invalid'],
    [429, 'rate_limited', 'unavailable'],
    [500, 'internal', 'unexpected'],
    [502, undefined, 'unavailable'],
    [504, undefined, 'unavailable'],
    [304, undefined, 'unexpected'],
  ])('of %s with the code %s is %s', (status, code, kind) => {
    expect(kindOf(status, code)).toBe(kind);
  });
});
