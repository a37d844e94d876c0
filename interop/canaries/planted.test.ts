/** The search that the other tests of this folder rely on finds what it is to find. */
import { describe, expect, it } from 'vitest';
import { createSearch, plant, plantBytes } from './planted.js';

const SECRET = 'canary/secret+key=0123456789';
const secrets = [
  plant('text', SECRET),
  plantBytes(
    'bytes',
    Uint8Array.from({ length: 32 }, (_, at) => at * 7),
  ),
];

const found = createSearch(secrets);

describe('a planted secret', () => {
  it.each([
    ['as it is', SECRET],
    ['percent-encoded', encodeURIComponent(SECRET)],
    ['as hex', Buffer.from(SECRET).toString('hex')],
    ['as HEX', Buffer.from(SECRET).toString('hex').toUpperCase()],
    ...[0, 1, 2, 3, 4].map((before) => [
      `in base64, ${before} bytes on`,
      Buffer.from(`${'x'.repeat(before)}${SECRET}, and more`).toString('base64'),
    ]),
    ...[0, 1, 2].map((before) => [
      `in base64url, ${before} bytes on`,
      Buffer.from(`${'?'.repeat(before)}${SECRET}>`).toString('base64url'),
    ]),
  ])('is found %s', (_name, text) => {
    expect(found(`before ${text} after`)).toEqual(['text']);
  });

  it('of bytes is found too', () => {
    const bytes = Uint8Array.from({ length: 32 }, (_, at) => at * 7);
    for (const text of [
      Buffer.from(bytes).toString('hex'),
      Buffer.from(bytes).toString('base64url'),
      JSON.stringify([...bytes]),
    ]) {
      expect(found(text)).toEqual(['bytes']);
    }
  });

  it('of length is found by a part of it', () => {
    const long = plant('long', Array.from({ length: 200 }, (_, at) => `${at * 7919} `).join(''));
    const flat = Array.from({ length: 200 }, (_, at) => `${at * 7919}`).join('');
    expect(createSearch([long])(flat.slice(0, flat.length * 0.4))).toEqual(['long']);
  });

  it('is not found where it is not', () => {
    expect(found('canary/secret')).toEqual([]);
  });
});
