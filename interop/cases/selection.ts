/** Which cases are run as they stand. Unit tests and the conformance suite cover the rules of the others. */
import type { BlackBoxCase } from './case-file.js';

/** Areas whose requests are plain enough to be sent to the HTTP face. */
const RUN: ReadonlySet<string> = new Set([
  'access-list',
  'certificate',
  'config-client',
  'config-identity',
  'ec2-login',
  'http',
  'login-dispatch',
  'nonce',
  'parsing',
  'role',
  'role-token',
  'sts-config',
]);

/** Given by a state or a cloud that only a unit test can make. */
const NEEDS_UNIT_TEST: ReadonlySet<string> = new Set([
  'cli-013',
  'cli-014',
  'non-016',
  'rol-052',
  'rol-054',
  'rol-057',
  'rol-061',
]);

export function isRunAsItStands(item: BlackBoxCase): boolean {
  return RUN.has(item.area) && item.request.method !== undefined && !NEEDS_UNIT_TEST.has(item.id);
}
