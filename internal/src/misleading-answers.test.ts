import { callerIdentityXml, type StsIdentity } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { misleadingAnswers } from './misleading-answers.js';

const identity: StsIdentity = {
  accountId: '111122223333',
  arn: 'arn:aws:sts::111122223333:assumed-role/deploy/build',
  userId: 'AROAEXAMPLEEXAMPLEEXA:build',
};
const answers = misleadingAnswers(identity);
const good = callerIdentityXml(identity);
const textOf = (body: string | Uint8Array) => (typeof body === 'string' ? body : Buffer.from(body).toString('latin1'));

describe('misleading answers', () => {
  it('have names of their own', () => {
    expect(new Set(answers.map(({ name }) => name)).size).toBe(answers.length);
  });

  it.each(answers)('differ from a good one, and fit into an answer: $name', ({ answer }) => {
    const isGood = answer.status === 200 && answer.contentType === 'text/xml' && answer.body === good;
    expect(isGood).toBe(false);
    expect(Buffer.from(answer.body).length).toBeLessThanOrEqual(65_536);
  });

  it('are each made in a way of their own', () => {
    const made = answers.map(({ answer }) => `${answer.status} ${answer.contentType} ${textOf(answer.body)}`);
    expect(new Set(made).size).toBe(made.length);
  });

  it('hold the bait, but for the few that leave it out', () => {
    const without = answers.filter(({ answer }) => !textOf(answer.body).includes('111122223333'));
    expect(without.map(({ name }) => name)).toEqual(['an empty body', 'no result']);
  });
});
