/**
 * The order of refusals (REG-10): who calls, then whether the version is there and theirs, then the
 * document. A document that cannot be read must therefore not be answered before core has judged caller and version; core
 * is asked with an input that it always refuses, which changes nothing and leaves the audit event of a refused command.
 */
import { type DeprecationInput, isRegistryError } from '@postern/core-registry';
import type { Exchange } from './exchange.js';
import { isJsonApiType, JSON_API } from './faces.js';
import { parseJsonDocument } from './json-document.js';
import { ProblemError, problemOf } from './problem.js';

/** A control character is never part of a reason (REG-5). */
export const REFUSED_INPUT: DeprecationInput = { reason: '\u0000' };

/**
 * Reads a JSON:API document and what it asks for.
 *
 * @param interpret shape only. @throws ProblemError
 * @param askCore the operation, with `REFUSED_INPUT`.
 * @throws whatever core says of caller and version; else the problem of the document.
 */
export async function readDocument<T>(
  { request, call, readBody }: Exchange,
  interpret: (document: unknown) => T,
  askCore: () => Promise<unknown>,
): Promise<T> {
  try {
    // Unread where nobody is named: a stranger's body costs nothing.
    if (call.token !== undefined) {
      if (!isJsonApiType(request.headers.get('content-type'))) {
        throw new ProblemError(problemOf(415, `the content type must be ${JSON_API}`));
      }
      return interpret(parseJsonDocument(await readBody()));
    }
  } catch (error) {
    await refuseByCore(askCore);
    throw error;
  }
  await refuseByCore(askCore);
  throw new TypeError('a call without a token was not refused');
}

async function refuseByCore(askCore: () => Promise<unknown>): Promise<void> {
  try {
    await askCore();
  } catch (error) {
    if (isRegistryError(error) && error.kind === 'invalid') return;
    throw error;
  }
  throw new TypeError('an input that is always refused was not');
}
