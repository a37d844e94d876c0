/**
 * What a PATCH of a module version asks for (REGAPI-2, REG-5, REG-6, REGAPI-5 for `revocation`). Shape only:
 * texts, links and dates are core's to judge. Ours beside `deprecation` is the attribute `deprecation-details`.
 */
import type { DeprecationInput, RevocationInput, VersionCommand } from '@postern/core-registry';
import { attributesOf, invalid, type JsonObject, member, requireObject } from './json-document.js';

const ATTRIBUTES = '/data/attributes';
const DEPRECATION = `${ATTRIBUTES}/deprecation`;
const REVOCATION = `${ATTRIBUTES}/revocation`;
export const DETAILS = `${ATTRIBUTES}/deprecation-details`;

/** @throws ProblemError 422 with the pointer of the member at fault. */
export function commandOf(document: unknown): VersionCommand {
  const attributes = attributesOf(document, 'module-versions');
  const revocation = member(attributes, 'revocation');
  if (revocation === undefined) return deprecationCommand(attributes);
  if (member(attributes, 'deprecation') !== undefined) {
    throw invalid(REVOCATION, 'data.attributes: deprecation and revocation are changed one at a time');
  }
  return revocationCommand(requireObject(revocation, REVOCATION));
}

function deprecationCommand(attributes: JsonObject): VersionCommand {
  const deprecation = requireObject(member(attributes, 'deprecation'), DEPRECATION);
  const status = member(deprecation, 'deprecated-status');
  if (status === 'Deprecated') return { name: 'deprecate', input: deprecationInputOf(attributes) };
  if (status !== 'Undeprecated') {
    throw invalid(`${DEPRECATION}/deprecated-status`, 'deprecated-status: must be Deprecated or Undeprecated');
  }
  refuseBeside(deprecation, ['reason', 'link'], DEPRECATION, 'Undeprecated');
  refuseBeside(attributes, ['deprecation-details'], ATTRIBUTES, 'Undeprecated');
  return { name: 'reinstate' };
}

/** The notice and its details, as the attributes of a PATCH and of a range both carry them. @throws ProblemError 422 */
export function deprecationInputOf(attributes: JsonObject): DeprecationInput {
  const sent = member(attributes, 'deprecation');
  const deprecation = sent === undefined ? {} : requireObject(sent, DEPRECATION);
  const given = member(attributes, 'deprecation-details');
  const details = given === undefined ? {} : requireObject(given, DETAILS);
  return unchecked<DeprecationInput>({
    reason: member(deprecation, 'reason'),
    link: member(deprecation, 'link'),
    reasonClass: member(details, 'reason-class'),
    replacement: member(details, 'replacement'),
    sunset: member(details, 'sunset'),
  });
}

function revocationCommand(revocation: JsonObject): VersionCommand {
  const name = member(revocation, 'status') === undefined ? 'revocation-status' : 'status';
  const status = member(revocation, name);
  if (status === 'Revoked') {
    const input = { reason: member(revocation, 'message'), link: member(revocation, 'link') };
    return { name: 'revoke', input: unchecked<RevocationInput>(input) };
  }
  if (status !== 'Unrevoked') throw invalid(`${REVOCATION}/status`, 'status: must be Revoked or Unrevoked');
  refuseBeside(revocation, ['message', 'link'], REVOCATION, 'Unrevoked');
  return { name: 'unrevoke' };
}

function refuseBeside(object: JsonObject, names: readonly string[], pointer: string, status: string): void {
  const sent = names.find((name) => member(object, name) !== undefined);
  if (sent !== undefined) throw invalid(`${pointer}/${sent}`, `${sent}: cannot be sent with ${status}`);
}

/** The registry checks every member of an input before it uses it; until then the type is only what it should be. */
export function unchecked<T>(input: { readonly [K in keyof T]?: unknown }): T {
  return input as T;
}

const POINTERS: Readonly<Record<string, string>> = {
  '/reason': `${DEPRECATION}/reason`,
  '/link': `${DEPRECATION}/link`,
  '/reasonClass': `${DETAILS}/reason-class`,
  '/replacement': `${DETAILS}/replacement`,
  '/replacement/module': `${DETAILS}/replacement/module`,
  '/replacement/version': `${DETAILS}/replacement/version`,
  '/sunset': `${DETAILS}/sunset`,
  '/range': `${ATTRIBUTES}/range`,
  '/includePrereleases': `${ATTRIBUTES}/include-prereleases`,
  '/dryRun': `${ATTRIBUTES}/dry-run`,
};

/** From a pointer into the input of a deprecation to one into the document. */
export function deprecationPointer(pointer: string): string {
  return POINTERS[pointer] ?? ATTRIBUTES;
}

/** From a pointer into the input of a revocation to one into the document. */
export function revocationPointer(pointer: string): string {
  return pointer === '/reason' ? `${REVOCATION}/message` : `${REVOCATION}${pointer}`;
}
