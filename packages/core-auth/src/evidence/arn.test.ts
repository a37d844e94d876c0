/** ARN syntax and patterns (ARN-1, ARN-2, ROLE-10, THREAT-37). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalArn, hasStar, isArnPattern, matchesArnPattern, parseArn } from './arn.js';

const account = '123456789012';

describe('parsing', () => {
  it.each([
    [
      'a user',
      `arn:aws:iam::${account}:user/UserName`,
      { type: 'user', name: 'UserName', path: '' },
      `arn:aws:iam::${account}:user/UserName`,
    ],
    [
      'a role with a path',
      `arn:aws:iam::${account}:role/RolePath/RoleName`,
      { type: 'role', name: 'RoleName', path: 'RolePath' },
      `arn:aws:iam::${account}:role/RoleName`,
    ],
    [
      'an instance profile',
      `arn:aws:iam::${account}:instance-profile/profilePath/InstanceProfileName`,
      { type: 'instance-profile', name: 'InstanceProfileName', path: 'profilePath' },
      `arn:aws:iam::${account}:instance-profile/InstanceProfileName`,
    ],
    [
      'a longer path',
      `arn:aws-us-gov:iam::${account}:user/a/b/c`,
      { partition: 'aws-us-gov', type: 'user', name: 'c', path: 'a/b' },
      `arn:aws-us-gov:iam::${account}:user/c`,
    ],
    [
      'an assumed role, which is its role',
      `arn:aws:sts::${account}:assumed-role/RoleName/session`,
      { type: 'assumed-role', name: 'RoleName', path: '', sessionName: 'session' },
      `arn:aws:iam::${account}:role/RoleName`,
    ],
    [
      'an assumed role with further pieces',
      `arn:aws:sts::${account}:assumed-role/RoleName/session/more`,
      { type: 'assumed-role', name: 'RoleName', sessionName: 'session' },
      `arn:aws:iam::${account}:role/RoleName`,
    ],
    [
      'an ARN with a region, which IAM has none of',
      `arn:aws:iam:us-east-1:${account}:role/R`,
      { type: 'role', name: 'R' },
      `arn:aws:iam::${account}:role/R`,
    ],
  ])('reads %s', (_name, text, parts, canonical) => {
    const arn = parseArn(text);
    expect(arn).toMatchObject({ partition: 'aws', accountId: account, ...parts });
    expect(arn && canonicalArn(arn)).toBe(canonical);
  });

  it.each([
    ['no name', `arn:aws:iam::${account}:role`],
    ['no type', 'arn:aws:iam::1234556789012:/'],
    ['more than six parts', 'arn:aws:iam::1:user/a:b'],
    ['a group', 'arn:aws:iam::1:group/x'],
    ['the account itself', `arn:aws:iam::${account}:root`],
    ['a federated user', `arn:aws:sts::${account}:federated-user/x`],
    ['an assumed role without a session', `arn:aws:sts::${account}:assumed-role/RoleName`],
    ['another service', `arn:aws:ec2:us-east-1:${account}:instance/i-1`],
    ['another scheme', `ARN:aws:iam::${account}:role/R`],
    ['a name of the prototype', `arn:aws:iam::${account}:constructor/x`],
    ['five parts', `arn:aws:iam:${account}:role/R`],
    ['nothing', ''],
    ['colons', ':::::'],
    ['far too much', `arn:aws:iam::${account}:role/${'x'.repeat(3000)}`],
  ])('refuses %s', (_name, text) => {
    expect(parseArn(text)).toBeUndefined();
  });

  it('has a canonical form that is its own canonical form', () => {
    const piece = fc.stringMatching(/^[\w+=,.@-]{1,12}$/);
    const text = fc
      .tuple(fc.constantFrom('user', 'role', 'instance-profile', 'assumed-role'), fc.array(piece, { maxLength: 4 }))
      .map(([type, pieces]) => ['arn:aws:iam::1:', [type, ...pieces].join('/')].join(''));
    fc.assert(
      fc.property(text, (some) => {
        const arn = parseArn(some);
        if (arn === undefined) return;
        const once = canonicalArn(arn);
        const again = parseArn(once);
        expect(again && canonicalArn(again)).toBe(once);
      }),
    );
  });
});

describe('a pattern (ROLE-10)', () => {
  it.each([
    `arn:aws:iam::${account}:*`,
    `arn:aws:iam::${account}:role/*`,
    `arn:aws:iam::${account}:role/path/*`,
    `arn:aws-cn:iam::${account}:instance-profile/web-*`,
    'arn:aws:iam::1:user/*',
  ])('may be %s', (pattern) => {
    expect(isArnPattern(pattern)).toBe(true);
  });

  it.each([
    '*',
    '**',
    'x*',
    `*arn:aws:iam::${account}:role/x`,
    `*:iam::${account}:role/x*`,
    `arn:*:iam::${account}:role/x*`,
    'arn:*',
    'arn:aws:*',
    `arn:aws:*::${account}:role/*`,
    'arn:aws:iam::*',
    'arn:aws:iam::*:role/*',
    'arn:aws:iam::1234*:role/x',
    `arn:aws:iam::${account}*`,
    'arn:aws:iam:::role/*',
    `arn::iam::${account}:role/*`,
    `arn:aws:iam::${account}:role/*/x`,
    `arn:aws:iam::${account}:role/*/x*`,
    `arn:aws:iam::${account}:role/**`,
    `arn:aws:iam:*:${account}:role/*`,
    `arn:aws:sts::${account}:assumed-role/*`,
    `arn:aws:iam::${account}:role/x:y*`,
    `arn:aws:iam::${account}:role/none`,
    '',
  ])('may not be %j', (pattern) => {
    expect(isArnPattern(pattern)).toBe(false);
  });

  it.each([
    [`arn:aws:iam::${account}:role/web-*`, `arn:aws:iam::${account}:role/web-1`, true],
    [`arn:aws:iam::${account}:role/web-*`, `arn:aws:iam::${account}:role/web-`, true],
    [`arn:aws:iam::${account}:role/web-*`, `arn:aws:iam::${account}:role/Web-1`, false],
    [`arn:aws:iam::${account}:role/web-*`, `arn:aws:iam::${account}:role/path/web-1`, false],
    [`arn:aws:iam::${account}:*`, 'arn:aws:iam::999999999999:role/web', false],
    [`arn:aws:iam::${account}:role/web`, `arn:aws:iam::${account}:role/web`, true],
    [`arn:aws:iam::${account}:role/web`, `arn:aws:iam::${account}:role/web-1`, false],
    [`arn:aws:iam::${account}:role/w.b`, `arn:aws:iam::${account}:role/web`, false],
    ['*', `arn:aws:iam::${account}:role/web`, false],
    ['arn:*', `arn:aws:iam::${account}:role/web`, false],
    ['arn:aws:iam::*', `arn:aws:iam::${account}:role/web`, false],
    ['*', '*', false],
  ])('%s on %s is %s', (bound, arn, expected) => {
    expect(matchesArnPattern(bound, arn)).toBe(expected);
  });

  it('never admits an ARN of another account or partition', () => {
    const part = fc.constantFrom('1', '12', '2', 'a', 'ab');
    const text = fc
      .tuple(part, part, fc.constantFrom('role/a', 'role/ab', ''))
      .map(([p, a, r]) => [p, a, `arn:${p}:iam::${a}:${r}`] as const);
    fc.assert(
      fc.property(text, text, fc.nat(24), ([, , one], [partition, accountId, other], cut) => {
        const bound = `${one.slice(0, cut)}*`;
        if (!matchesArnPattern(bound, other)) return;
        expect(bound.startsWith(`arn:${partition}:iam::${accountId}:`)).toBe(true);
      }),
    );
  });

  it('with 100 kB of stars is refused at once', () => {
    const bound = 'a*'.repeat(50_000);
    expect(hasStar(bound)).toBe(true);
    expect(matchesArnPattern(bound, 'a'.repeat(100_000))).toBe(false);
  });
});
