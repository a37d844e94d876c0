/** What makes a caller an instance (INFER-2): pure. */
import { describe, expect, it } from 'vitest';
import { principalOf } from '../principals/principal.js';
import { decideInferredProfile, instanceOfSession, isOwnProfile } from './inference.js';

const A = '111111111111';
const caller = principalOf(`arn:aws:sts::${A}:assumed-role/InstRole/i-1`, 'AROAX');
const user = principalOf(`arn:aws:iam::${A}:user/InstRole`, 'AIDAX');
if (caller === undefined || user === undefined) throw new TypeError('not principals');

describe('a session is named after an instance', () => {
  it.each([
    ['i-1', true],
    ['i-0123456789abcdef0', true],
    ['i-', false],
    ['i-0123456789ABCDEF0', false],
    ['i-0123456789abcdef01', false],
    ['xi-1', false],
    ['i-1 ', false],
    ['i-1\n', false],
    ['notinst', false],
    ['', false],
    [undefined, false],
  ])('%j: %s', (name, expected) => {
    expect(instanceOfSession(name) === name && name !== undefined).toBe(expected);
  });
});

describe('a profile holds the role of the caller', () => {
  const role = (resource: string, account = A, partition = 'aws') =>
    `arn:${partition}:iam::${account}:role/${resource}`;
  it.each([
    ['with any path', [role('rp/InstRole')], true],
    ['without a path', [role('InstRole')], true],
    ['among others', [role('Other'), role('InstRole')], true],
    ['not another one', [role('OtherRole')], false],
    ['not one that differs in case', [role('instrole')], false],
    ['not one of another account', [role('InstRole', '222222222222')], false],
    ['not one of another partition', [role('InstRole', A, 'aws-cn')], false],
    ['not a user of that name', [`arn:aws:iam::${A}:user/InstRole`], false],
    ['not what is no ARN', ['InstRole'], false],
    ['not when empty', [], false],
    ['not when there is no such profile', undefined, false],
  ])('%s', (_name, roles, holds) => {
    const expected = holds ? { allow: true, checked: true } : { allow: false, code: 'inferred_profile_mismatch' };
    for (const require of [false, true]) expect(decideInferredProfile(caller, roles, require)).toEqual(expected);
  });

  it('never that of a user', () => {
    expect(decideInferredProfile(user, [role('InstRole')], false)).toMatchObject({ allow: false });
  });

  it.each([
    [false, { allow: true, checked: false }],
    [true, { allow: false, code: 'inferred_profile_unchecked' }],
  ])('nobody knows where we may not ask; the role insists: %s', (require, expected) => {
    expect(decideInferredProfile(caller, 'denied', require)).toEqual(expected);
  });
});

describe('a profile is of the account of the caller', () => {
  it.each([
    [`arn:aws:iam::${A}:instance-profile/pp/Prof`, true],
    ['arn:aws:iam::222222222222:instance-profile/pp/Prof', false],
    [`arn:aws-cn:iam::${A}:instance-profile/pp/Prof`, false],
    [`arn:aws:iam::${A}:role/Prof`, false],
    ['Prof', false],
  ])('%s: %s', (arn, expected) => {
    expect(isOwnProfile(caller, arn)).toBe(expected);
  });
});
