/** What makes a caller an instance (INFER-2): pure. */
import { describe, expect, it } from 'vitest';
import { principalOf } from '../principals/principal.js';
import { decideInferredProfile, instanceOfSession, isOwnProfile } from './inference.js';

const A = '111111111111';
const caller = principalOf(`arn:aws:sts::${A}:assumed-role/InstRole/i-1`, 'AROAX');
const user = principalOf(`arn:aws:iam::${A}:user/InstRole`, 'AIDAX');
if (caller === undefined || user === undefined) throw new TypeError('not principals');

const OPEN = { requireInferredProfile: false };
const REQUIRED = { requireInferredProfile: true };
const WAIVED = { requireInferredProfile: false, admitUncheckedProfile: true };
const profile = (name: string) => `arn:aws:iam::${A}:instance-profile/pp/${name}`;

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
    ['under its unique id', [{ arn: role('InstRole'), uniqueId: 'AROAX' }], true],
    ['not one that was created again', [{ arn: role('InstRole'), uniqueId: 'AROAY' }], false],
    ['with an id that the provider does not say', [{ arn: role('InstRole'), uniqueId: undefined }], true],
  ])('%s', (_name, roles, holds) => {
    const expected = holds ? { allow: true, check: 'checked' } : { allow: false, code: 'inferred_profile_mismatch' };
    for (const rule of [OPEN, REQUIRED, WAIVED]) {
      expect(decideInferredProfile(caller, profile('Prof'), roles, rule)).toEqual(expected);
    }
  });

  it('never that of a user', () => {
    expect(decideInferredProfile(user, profile('InstRole'), [role('InstRole')], OPEN)).toMatchObject({ allow: false });
  });

  it.each([
    ['Prof', OPEN, { allow: false, code: 'inferred_profile_unknown' }],
    ['instrole', OPEN, { allow: false, code: 'inferred_profile_unknown' }],
    ['InstRole', OPEN, { allow: true, check: 'by_name' }],
    ['InstRole', REQUIRED, { allow: false, code: 'inferred_profile_unchecked' }],
    ['Prof', WAIVED, { allow: true, check: 'unchecked' }],
  ])('W4: nobody knows where we may not ask: profile %s, %j', (name, rule, expected) => {
    expect(decideInferredProfile(caller, profile(name), 'denied', rule)).toEqual(expected);
  });

  it('W4: a user never has the name of a profile', () => {
    expect(decideInferredProfile(user, profile('InstRole'), 'denied', OPEN)).toMatchObject({ allow: false });
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
