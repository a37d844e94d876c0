/** What an operation answered, in one word for tables: `204` nothing to say, `200` something, or the code of the refusal. */
import type { Outcome } from '../src/call.js';
import { isAuthError } from '../src/errors.js';

/** As the HTTP face would answer (WIRE-10), refusals by their code. Errors that are none of ours pass through. */
export async function answerOf(call: Promise<Outcome>): Promise<string> {
  try {
    const { data, auth, warnings = [] } = await call;
    return data === undefined && auth === undefined && warnings.length === 0 ? '204' : '200';
  } catch (error) {
    if (isAuthError(error)) return error.code;
    throw error;
  }
}
