/** How old a document may be when it is presented: documents never expire by themselves (THREAT-14). */
import { describe, expect, it } from 'vitest';
import { decideDocumentAge } from './ec2-steps.js';

const NOW = Date.UTC(2026, 0, 1);

describe('the age of a document (THREAT-14)', () => {
  it.each([
    ['does not matter without a limit', 0, '1999-01-01T00:00:00Z', { allow: true }],
    ['is not parsed without a limit', 0, 'notatime', { allow: true }],
    ['may reach the limit', 300, '2025-12-31T23:55:00Z', { allow: true }],
    ['may not pass the limit', 300, '2025-12-31T23:54:59.999Z', { allow: false, code: 'document_too_old' }],
    ['may lie ahead of our clock', 300, '2026-01-01T00:00:10Z', { allow: true }],
    ['must be a time', 300, 'notatime', { allow: false, code: 'pending_time_invalid' }],
  ])('%s', (_name, limit, pendingTime, expected) => {
    expect(decideDocumentAge(limit, pendingTime, NOW)).toEqual(expected);
  });
});
