/** Lists in pages (WIRE-30): `after` and `limit` of the query, as OpenBao has them, and a bound where they are not sent. */
import type { RecordReader } from '@postern/kernel';
import { type CallOptions, compareUtf8, STORAGE_LIMITS, utf8Length } from '@postern/ports';
import * as z from 'zod';
import { described, integerField, type keysOutput, REFUSED, scalar, scalarText, wireField } from '../fields/fields.js';
import type { AnswerOf } from '../operation.js';

/** Keys in one answer: about a megabyte of instance ids with their envelope. */
export const MAX_LISTED = 10_000;

const MAX_AFTER_BYTES = 512;
const EXPECTED_AFTER = `a text of at most ${MAX_AFTER_BYTES} bytes`;

/** It becomes a part of a storage key. */
const afterField = wireField<typeof scalar, string, string>(scalar, EXPECTED_AFTER, (value) => {
  const text = scalarText(value);
  return (utf8Length(text) ?? Number.POSITIVE_INFINITY) > MAX_AFTER_BYTES ? REFUSED : text;
});

export const pageFields = z.object({
  after: described(afterField, 'Go on after this key, whether it is in the list or not.'),
  limit: described(integerField, `Keys in the answer, at most ${MAX_LISTED}; below 1: as many.`),
});

export type PageFields = z.output<typeof pageFields>;

export function pageLimit({ limit }: PageFields): number {
  return limit === undefined || limit < 1 ? MAX_LISTED : Math.min(limit, MAX_LISTED);
}

/** Ids after `after`, in byte order; with `next` where there are more. */
export async function listIds(
  collection: Pick<RecordReader<unknown>, 'ids'>,
  fields: PageFields,
  options: CallOptions,
): Promise<{ readonly ids: readonly string[]; readonly next: string | undefined }> {
  const most = pageLimit(fields);
  const ids: string[] = [];
  let after = fields.after || undefined;
  do {
    const page = await collection.ids({ after, limit: Math.min(STORAGE_LIMITS.maxPage, most - ids.length) }, options);
    ids.push(...page.ids);
    after = page.next;
  } while (after !== undefined && ids.length < most);
  return { ids, next: after };
}

/** @param next where the list goes on: told unless the caller asked for so short a page. */
export function keysOutcome(
  keys: readonly string[],
  fields: PageFields,
  next: string | undefined,
): AnswerOf<typeof keysOutput> {
  const isOurs = next !== undefined && pageLimit(fields) === MAX_LISTED;
  return {
    data: { keys },
    ...(isOurs ? { warnings: [`there are more than ${MAX_LISTED} keys; list again with after=${keys.at(-1)}`] } : {}),
  };
}

export async function listKeys(
  collection: Pick<RecordReader<unknown>, 'ids'>,
  fields: PageFields,
  options: CallOptions,
): Promise<AnswerOf<typeof keysOutput>> {
  const { ids, next } = await listIds(collection, fields, options);
  return keysOutcome(ids, fields, next);
}

/** A page of keys that are all in memory, in byte order. */
export function pageOf(keys: Iterable<string>, fields: PageFields): AnswerOf<typeof keysOutput> {
  const { after = '' } = fields;
  const sorted = [...keys].filter((key) => compareUtf8(key, after) > 0).sort(compareUtf8);
  const page = sorted.slice(0, pageLimit(fields));
  return keysOutcome(page, fields, sorted.length > page.length ? page.at(-1) : undefined);
}
