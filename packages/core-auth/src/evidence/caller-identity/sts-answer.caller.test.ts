/** The three texts of an answer agree with each other, or name nobody (STS-13). */
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../test/refusal.js';
import { decideCallerIdentity } from './sts-answer.js';

const account = '111111111111';
const user = { arn: `arn:aws:iam::${account}:user/path/to/Bob`, userId: 'AIDABOB', account };
const role = {
  arn: `arn:aws:sts::${account}:assumed-role/deploy/build-17@x`,
  userId: 'AROADEPLOY:build-17@x',
  account,
};
const reasonOf = (texts: Parameters<typeof decideCallerIdentity>[0]) =>
  refusalOf(() => decideCallerIdentity(texts, 'aws'));

describe('a caller', () => {
  it('is a user, with its path', () => {
    expect(decideCallerIdentity(user, 'aws')).toEqual({
      arn: user.arn,
      parsedArn: { partition: 'aws', accountId: account, type: 'user', name: 'Bob', path: 'path/to', sessionName: '' },
      userId: 'AIDABOB',
      uniqueId: 'AIDABOB',
      accountId: account,
    });
  });

  it('is an assumed role, with its session', () => {
    expect(decideCallerIdentity(role, undefined)).toMatchObject({
      uniqueId: 'AROADEPLOY',
      userId: 'AROADEPLOY:build-17@x',
      sessionName: 'build-17@x',
      parsedArn: { type: 'assumed-role', name: 'deploy', sessionName: 'build-17@x' },
    });
  });

  it.each(['aws', 'aws-cn', 'aws-us-gov', 'aws-iso', 'aws-iso-b', 'aws-iso-e', 'aws-iso-f', 'aws-eusc'])(
    'may be of partition %s',
    (partition) => {
      const texts = { ...user, arn: user.arn.replace('aws', partition) };
      expect(decideCallerIdentity(texts, partition).parsedArn.partition).toBe(partition);
    },
  );

  it.each([
    `arn:aws:iam::${account}:root`,
    `arn:aws:sts::${account}:federated-user/bob`,
    `arn:aws:iam::${account}:role/deploy`,
    `arn:aws:iam::${account}:instance-profile/x`,
    `arn:aws:iam::${account}:group/x`,
    `arn:aws:iam::${account}:assumed-role/deploy/s`,
    `arn:aws:sts::${account}:user/Bob`,
    `arn:aws:sts::${account}:assumed-role/deploy`,
    `arn:aws:sts::${account}:assumed-role/deploy/s/more`,
    `arn:aws:sts::${account}:assumed-role//s`,
    `arn:aws:sts::${account}:assumed-role/deploy/`,
    `arn:aws:iam:us-east-1:${account}:user/Bob`,
    `arn:aws:iam::${account}:user/`,
    `arn:aws:iam::${account}:user//Bob`,
    `arn:aws:iam::${account}:user/a//Bob`,
    `arn:aws:iam::${account}:user/Bo*b`,
    `arn:aws:iam::${account}:user/a b/Bob`,
    `arn:aws:iam::${account}:user/B\u043eb`,
    `arn:AWS:iam::${account}:user/Bob`,
    `arn::iam::${account}:user/Bob`,
    `arn:aws:iam::${account}:user/Bob:x`,
    '',
    'Bob',
  ])('is not %s', async (arn) => {
    expect(await reasonOf({ ...user, arn })).toBe('identity_arn');
    expect(await reasonOf({ ...role, arn })).toBe('identity_arn');
  });

  it.each([
    { ...user, account: '222222222222' },
    { ...user, account: '' },
    { ...user, arn: user.arn.replace(account, '1'), account: '1' },
    { ...user, arn: user.arn.replace(account, `${account}1`), account: `${account}1` },
    { ...user, account: ` ${account}` },
  ])('is of one account, of twelve digits: %j', async (texts) => {
    expect(await reasonOf(texts)).toBe('identity_account');
  });

  it.each([
    { ...user, userId: '' },
    { ...user, userId: 'AIDA BOB' },
    { ...user, userId: 'AIDABOB:session' },
    { ...role, userId: 'AROADEPLOY' },
    { ...role, userId: 'AROADEPLOY:other' },
    { ...role, userId: ':build-17@x' },
    { ...role, userId: 'AROA:DEPLOY:build-17@x' },
    { ...role, userId: 'AROADEPLOYbuild-17@x' },
    { ...role, userId: 'AROADEPLOY:build-17@X' },
  ])('has an id that fits its ARN: %j', async (texts) => {
    expect(await reasonOf(texts)).toBe('identity_user_id');
  });
});
