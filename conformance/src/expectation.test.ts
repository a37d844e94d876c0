/** The judge finds what is wrong: a suite whose checks cannot fail would pass every server. */
import { describe, expect, it } from 'vitest';
import { expectedAnswer, judgeAnswer } from './expectation.js';
import { PROFILES } from './profile.js';
import type { Answer } from './target.js';

const judge = { profile: PROFILES.neutral, codes: true };
const answer = (status: number, body: unknown, path = '/v1/auth/cloud/role/x'): Answer => ({
  ...{ method: 'POST', path, status, body },
  headers: new Headers({ 'content-type': 'application/json' }),
});
const refused = answer(400, { errors: ['no'], code: 'role_not_found' });
const read = answer(200, { data: { keys: ['a', 'b'], ttl: 60, at: new Date().toISOString() }, warnings: null });

describe('an answer as expected', () => {
  it.each([
    ['400 role_not_found', refused],
    [{ status: 200, fields: { 'data.keys': { $includes: ['a'] }, 'data.ttl': { $range: [1, 60] } } }, read],
    [{ status: 200, fields: { 'data.at': { $fromNow: 0 }, 'data.secret': { $absent: true } }, warnings: false }, read],
    ['404 nothing', answer(404, { errors: [] })],
    [
      '422 /data/type',
      answer(422, { errors: [{ status: '422', title: 'x', source: { pointer: '/data/type' } }] }, '/api/v2/x'),
    ],
  ])('%j has nothing wrong', (expected, given) => {
    expect(judgeAnswer(given, expectedAnswer(expected), judge)).toEqual([]);
  });
});

describe('an answer that is wrong', () => {
  it.each([
    ['status', 204, refused],
    ['code', '400 field_invalid', refused],
    ['body.code', '404 nothing', answer(404, { errors: [], code: 'unsupported_path' })],
    ['data.ttl', { status: 200, fields: { 'data.ttl': 61 } }, read],
    ['data.ttl', { status: 200, fields: { 'data.ttl': { $absent: true } } }, read],
    ['data.keys', { status: 200, fields: { 'data.keys': { $includes: ['c'] } } }, read],
    ['data.keys', { status: 200, fields: { 'data.keys': ['a'] } }, read],
    ['data.at', { status: 200, fields: { 'data.at': { $fromNow: 3600 } } }, read],
    ['data', { status: 200, fields: { data: { $keys: ['keys', 'ttl'] } } }, read],
    ['warnings', { status: 200, warnings: true }, read],
    ['header x-none', { status: 200, headers: { 'x-none': 'a' } }, read],
    ['errors', '400 role_not_found', answer(400, { code: 'role_not_found' })],
    [
      'errors',
      '422 /data',
      answer(422, { errors: [{ status: '400', title: 'x', source: { pointer: '/data' } }] }, '/api/v2/x'),
    ],
  ])('in its %s is found', (where, expected, given) => {
    const found = judgeAnswer(given, expectedAnswer(expected), judge);
    expect(found.map((each) => each.split(':')[0])).toContain(where);
  });

  it('in its code alone is accepted of a server without codes', () => {
    expect(judgeAnswer(refused, expectedAnswer('400 field_invalid'), { ...judge, codes: false })).toEqual([]);
  });
});
