/** How the program holds answers to what they should be, and says what it did. */
import { deepStrictEqual, fail } from 'node:assert/strict';

/** Of an object only the members that are named. */
export function expectMembers(actual, wanted) {
  deepStrictEqual(Object.fromEntries(Object.keys(wanted).map((name) => [name, actual[name]])), wanted);
}

/** The call must be refused with this status and body, as node-vault hands them on. */
export async function refused(statusCode, body, call) {
  const { response } = await errorOf(call);
  deepStrictEqual(response.statusCode, statusCode);
  expectMembers(response.body, body);
}

/** 404 with no word of why, as for a thing that is not there and for an empty list. */
export function missing(call) {
  return refused(404, { errors: [] }, call);
}

/** node-vault takes every status but 200 and 204 for an error, the 202 of a run that was started among them. */
export async function accepted(call) {
  const { response } = await errorOf(call);
  deepStrictEqual(response.statusCode, 202);
  deepStrictEqual(response.body.warnings.length, 1);
}

/** What node-vault returns of a 204. */
export async function empty(answer) {
  deepStrictEqual(await answer, '');
}

export function did(text) {
  process.stdout.write(`  node-vault: ${text}\n`);
}

async function errorOf(call) {
  try {
    await call();
  } catch (error) {
    if (error.response === undefined) throw error;
    return error;
  }
  return fail('the call was let through');
}
