/** Which bounds admit which principal (PRINCIPAL-1, ROLE-9, ROLE-10, PROVIDER-1): the whole table, no cloud. */
import { describe, expect, it } from 'vitest';
import {
  matchesExactBound,
  matchesPatternBound,
  type Principal,
  type PrincipalBounds,
  principalOf,
  reachablePatterns,
} from './principal.js';

const A = '111111111111';
const B = '222222222222';

function principal(stsArn: string, uniqueId = 'AROAX'): Principal {
  const made = principalOf(stsArn, uniqueId);
  if (made === undefined) throw new TypeError(stsArn);
  return made;
}

const session = principal(`arn:aws:sts::${A}:assumed-role/RoleName/sess`);
const bob = principal(`arn:aws:iam::${A}:user/path/Bob`, 'AIDABOB');

function bound(arns: readonly string[], ids: readonly string[] = []): PrincipalBounds {
  return { boundIamPrincipalArns: arns, boundIamPrincipalIds: ids, resolveUniqueIds: ids.length > 0 };
}

describe('a principal', () => {
  it('of a session is its role', () => {
    expect(session).toEqual({
      partition: 'aws',
      accountId: A,
      type: 'role',
      name: 'RoleName',
      uniqueId: 'AROAX',
      canonicalArn: `arn:aws:iam::${A}:role/RoleName`,
      stsArn: `arn:aws:sts::${A}:assumed-role/RoleName/sess`,
    });
  });

  it.each([
    [`arn:aws:iam::${A}:role/RoleName`, 'AROAX'],
    [`arn:aws:iam::${A}:instance-profile/p`, 'AIPAX'],
    [`arn:aws:iam::${A}:root`, A],
    [`arn:aws:iam::${A}:user/Bob`, ''],
    ['', 'AIDABOB'],
  ])('is neither %s nor %j', (arn, id) => {
    expect(principalOf(arn, id)).toBeUndefined();
  });
});

describe('without resolved ids, an exact bound', () => {
  it.each([
    ['the role, without its path', session, `arn:aws:iam::${A}:role/RoleName`, true],
    ['the role with a path', session, `arn:aws:iam::${A}:role/path/RoleName`, false],
    ['the role in another case', session, `arn:aws:iam::${A}:role/rolename`, false],
    ['the session itself', session, `arn:aws:sts::${A}:assumed-role/RoleName/sess`, false],
    ['a user of the name of the role', session, `arn:aws:iam::${A}:user/RoleName`, false],
    ['the role of that name in another account', session, `arn:aws:iam::${B}:role/RoleName`, false],
    ['the role of that name in another partition', session, `arn:aws-cn:iam::${A}:role/RoleName`, false],
    ['the user with its path', bob, `arn:aws:iam::${A}:user/path/Bob`, true],
    ['the user without its path', bob, `arn:aws:iam::${A}:user/Bob`, true],
    ['the user with another path', bob, `arn:aws:iam::${A}:user/other/Bob`, false],
    ['a role of the name of the user', bob, `arn:aws:iam::${A}:role/Bob`, false],
  ])('of %s', (_name, who, arn, expected) => {
    expect(matchesExactBound(bound([arn]), who)).toBe(expected);
    expect(matchesExactBound(bound(['arn:aws:iam::333333333333:user/x', arn]), who)).toBe(expected);
  });
});

describe('with resolved ids, an exact bound', () => {
  const own = `arn:aws:iam::${A}:role/path/RoleName`;
  it.each([
    ['admits the id that it was resolved to', [own], ['AROAX'], true],
    ['admits any of several', [`arn:aws:iam::${A}:user/u`, own], ['AIDAU', 'AROAX'], true],
    ['does not look at the ARN', [`arn:aws:iam::${A}:role/renamed`], ['AROAX'], true],
    ['refuses another id, as after a re-creation', [`arn:aws:iam::${A}:role/RoleName`], ['AROAOLD'], false],
    ['refuses an id in another case', [own], ['aroax'], false],
    ['refuses the same id of another account', [`arn:aws:iam::${B}:role/RoleName`], ['AROAX'], false],
    ['refuses the same id of another partition', [`arn:aws-us-gov:iam::${A}:role/RoleName`], ['AROAX'], false],
    ['refuses an id without its ARN', [`arn:aws:iam::${A}:*`], ['AROAX'], false],
    ['skips patterns when it pairs ids with ARNs', [`arn:aws:iam::${B}:*`, own], ['AROAX'], true],
  ])('%s', (_name, arns, ids, expected) => {
    expect(matchesExactBound(bound(arns, ids), session)).toBe(expected);
  });

  it('matches no principal while the ids are not known', () => {
    const role = { boundIamPrincipalArns: [session.canonicalArn], boundIamPrincipalIds: [], resolveUniqueIds: true };
    expect(matchesExactBound(role, session)).toBe(false);
  });
});

describe('a pattern', () => {
  it.each([
    [`arn:aws:iam::${A}:*`, true],
    [`arn:aws:iam::${A}:role/*`, true],
    [`arn:aws:iam::${A}:user/*`, true],
    [`arn:aws:iam::${B}:*`, false],
    [`arn:aws-cn:iam::${A}:*`, false],
    [`arn:aws:iam::${A}:role/RoleName`, false],
    ['*', false],
    ['**', false],
    [`arn:aws:iam::*:role/RoleName*`, false],
    [`arn:aws:iam::11111111111*`, false],
  ])('%s is worth a question about a role of account A: %s', (pattern, expected) => {
    expect(reachablePatterns(bound([pattern]), session)).toEqual(expected ? [pattern] : []);
  });

  it.each([
    [`arn:aws:iam::${A}:role/path/*`, true],
    [`arn:aws:iam::${A}:role/path/RoleN*`, true],
    [`arn:aws:iam::${A}:role/other/*`, false],
    [`arn:aws:iam::${A}:role/RoleName*`, false],
    [`arn:aws:iam::${A}:role/PATH/*`, false],
    [`arn:aws:iam::${A}:*/RoleName*`, false],
  ])('%s matches the full ARN: %s', (pattern, expected) => {
    expect(matchesPatternBound([pattern], `arn:aws:iam::${A}:role/path/RoleName`)).toBe(expected);
  });
});
