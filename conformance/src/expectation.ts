/** Holds an answer against what a case expects: status, code, headers, fields, and the shape that every refusal has. */
import type { Expectation, ExpectedAnswer } from './case-file.js';
import { isObject, type Json } from './json.js';
import { differences, valueAt } from './matchers.js';
import { type Profile, wireName } from './profile.js';
import { type Answer, codeOf } from './target.js';

const NOTHING: Json = { errors: [] };

/** `"400 role_constraint_missing"` and `"404 nothing"` by their members. */
export function expectedAnswer(expectation: Expectation): ExpectedAnswer {
  if (typeof expectation === 'number') return { status: expectation };
  if (typeof expectation !== 'string') return expectation;
  const [status = '', code] = expectation.split(' ');
  if (code === 'nothing') return { status: Number(status), body: NOTHING };
  if (code?.startsWith('/') === true) return { status: Number(status), pointer: code };
  return { status: Number(status), ...(code === undefined ? {} : { code }) };
}

export interface Judge {
  readonly profile: Profile;
  /** False for servers whose refusals carry no codes. */
  readonly codes: boolean;
}

/** What is wrong with the answer, one line each. `expected` is resolved: nothing in it is left open. */
export function judgeAnswer(answer: Answer, expected: ExpectedAnswer, { profile, codes }: Judge): readonly string[] {
  const { status, code, pointer, headers = {}, fields = {}, body, warnings } = expected;
  const compare = (where: string, actual: unknown, value: Json) => differences(where, actual, value, profile);
  const found = [...compare('status', answer.status, status), ...refusalShape(answer)];
  if (codes && code !== undefined) found.push(...compare('code', codeOf(answer), code));
  if (pointer !== undefined)
    found.push(...compare('pointer', valueAt(answer.body, 'errors.0.source.pointer'), pointer));
  for (const [name, value] of Object.entries(headers)) {
    found.push(...compare(`header ${name}`, answer.headers.get(name), value));
  }
  for (const [path, value] of Object.entries(fields)) {
    const wire = wireName(profile, path);
    found.push(...compare(wire, valueAt(answer.body, wire), value));
  }
  if (body !== undefined) found.push(...compare('body', answer.body, body));
  if (warnings !== undefined) {
    const given = valueAt(answer.body, 'warnings');
    if ((Array.isArray(given) && given.length > 0) !== warnings) found.push(`warnings: ${JSON.stringify(given)}`);
  }
  return found;
}

/** Refusals of the method and of the registry protocol are `{"errors":["…"]}`, those of the management API JSON:API. */
function refusalShape({ status, path, method, body }: Answer): readonly string[] {
  if (status < 400 || method === 'HEAD' || path.startsWith('/v1/sys/')) return [];
  const errors = isObject(body) ? body['errors'] : undefined;
  if (!Array.isArray(errors)) return [`errors: ${JSON.stringify(errors)} is no list`];
  const isSound = (error: unknown): boolean =>
    path.startsWith('/api/v2/')
      ? isObject(error) && error['status'] === String(status) && typeof error['title'] === 'string'
      : typeof error === 'string' && error !== '';
  return errors.every(isSound) ? [] : [`errors: ${JSON.stringify(errors)} is not in the form of this interface`];
}
