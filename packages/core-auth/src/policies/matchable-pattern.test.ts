/** Patterns that can never match are rejected with the reason (POLICY-8, V9). */
import { describe, expect, it } from 'vitest';
import { patternProblem } from './matchable-pattern.js';

const PATHS = [
  'auth/cloud/role/:role',
  'auth/cloud/role/:role/tag',
  'auth/cloud/roles',
  'auth/cloud/roles/',
  'auth/cloud/config/certificate/:cert_name',
  'auth/cloud/roletag-denylist/:role_tag*',
  'registry/:organization',
];

describe('V9: a pattern that can match', () => {
  it.each([
    '*',
    'auth/*',
    'auth/cloud/role/*',
    'auth/cloud/role/+',
    'auth/+/role/dev',
    'auth/cloud/role/dev-1.x',
    'auth/cloud/role/+/tag',
    'auth/cloud/rol*',
    'auth/cloud/role/d*',
    'auth/cloud/roles',
    'auth/cloud/roles/',
    'auth/cloud/config/certificate/Mixed-Case',
    'auth/cloud/roletag-denylist/djE=:x/+/y',
    'auth/cloud/roletag-denylist/*',
    'registry/Acme',
    '+/+',
  ])('%s is accepted', (pattern) => {
    expect(patternProblem(pattern, PATHS)).toBeUndefined();
  });
});

describe('V9: a pattern that can never match', () => {
  it.each([
    ['auth/cloud/role/Prod', 'differs in case from the paths that it means; write "auth/cloud/role/prod"'],
    ['AUTH/cloud/roles', 'differs in case from the paths that it means; write "auth/cloud/roles"'],
    ['auth/*/role/stage', '* has a meaning at the end only; + matches one segment'],
    ['/v1/auth/cloud/role/dev', 'paths have no leading slash'],
    ['/auth/cloud/role/dev', 'paths have no leading slash'],
    ['v1/auth/cloud/role/dev', 'paths begin below v1/; leave it out'],
    ['auth/cloud/role/qa/', 'no path ends in a slash; leave it out, or write /*'],
    ['auth/cloud/role/q a', 'no path of this server matches'],
    ['auth/cloud/role', 'no path of this server matches'],
    ['auth/cloud/role/x/tag/y', 'no path of this server matches'],
    ['auth/cloud/role/P*', 'differs in case from the paths that it means; write "auth/cloud/role/p*"'],
    ['secret/data/*', 'no path of this server matches'],
    ['registry/acme/vpc', 'no path of this server matches'],
    ['', 'no path of this server matches'],
  ])('%s is rejected: %s', (pattern, problem) => {
    expect(patternProblem(pattern, PATHS)).toBe(problem);
  });
});
