/** What the members of the configuration file are checked with: each says what it expects there. */
import * as z from 'zod';

export const text = (expected: string) => z.string({ error: `expected ${expected}` }).min(1, `expected ${expected}`);

export const whole = (expected: string, least: number, most: number) =>
  z
    .int({ error: `expected ${expected}` })
    .min(least, `expected ${expected}`)
    .max(most, `expected ${expected}`);

export const flag = z.boolean({ error: 'expected true or false' });

export const positive = z.number({ error: 'must be greater than 0' }).positive('must be greater than 0');

/** An object of exactly these members. */
export const section = <S extends z.core.$ZodShape>(shape: S) =>
  z.strictObject(shape, {
    // Unknown members keep their own message: `describeIssues` words them.
    error: (issue) => {
      if (issue.code !== 'invalid_type') return undefined;
      return `${issue.input === undefined ? 'missing; ' : ''}expected an object of ${Object.keys(shape).join(', ')}`;
    },
  });
