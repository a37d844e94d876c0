/** Handlers answer what their schemas declare: the compiler says so, and `tsc` runs over this file. */
import { expect, it } from 'vitest';
import * as z from 'zod';
import { defineOperation, type Shown } from './operation.js';
import { authOutput } from './tokens/auth-view.js';

const about = {
  id: 'x.read',
  summary: 'Read an x',
  verb: 'read',
  scope: 'mount',
  path: 'x',
  access: 'management',
  fields: z.object({}),
} as const;
const output = z.object({ first_name: z.string(), count: z.int(), note: z.string().optional() });

it('a handler that answers every member of its output compiles', async () => {
  const good = defineOperation({ ...about, output, handle: async () => ({ data: { first_name: 'a', count: 1 } }) });
  const warned = defineOperation({ ...about, handle: async () => ({ warnings: ['w'] }) });
  expect([good.id, warned.id]).toEqual(['x.read', 'x.read']);
});

it('one that misspells or leaves out a member, or gives it another type, does not', () => {
  const wrong = [
    // @ts-expect-error misspelt
    defineOperation({ ...about, output, handle: async () => ({ data: { frist_name: 'a', count: 1 } }) }),
    // @ts-expect-error left out
    defineOperation({ ...about, output, handle: async () => ({ data: { first_name: 'a' } }) }),
    // @ts-expect-error of another type
    defineOperation({ ...about, output, handle: async () => ({ data: { first_name: 'a', count: '1' } }) }),
    // @ts-expect-error no data at all
    defineOperation({ ...about, output, handle: async () => ({}) }),
    // @ts-expect-error data that no schema declares
    defineOperation({ ...about, handle: async () => ({ data: { first_name: 'a' } }) }),
    // @ts-expect-error no token where one is granted
    defineOperation({ ...about, auth: authOutput, handle: async () => ({}) }),
  ];
  expect(wrong).toHaveLength(6);
});

it('a view of a record has no member too many', () => {
  // @ts-expect-error misspelt, and optional
  const view = (): Shown<typeof output> => ({ first_name: 'a', count: 1, ntoe: 'b' });
  expect(Object.keys(view())).toHaveLength(3);
});
