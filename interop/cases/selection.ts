/** Which cases are run as they stand, and which areas must be covered one way or the other. */
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

/** Given by a state or a cloud that only a unit test can make; the index test wants each named in one. */
const NEEDS_UNIT_TEST: ReadonlySet<string> = new Set([
  'cli-013',
  'cli-014',
  'non-016',
  'rol-052',
  'rol-054',
  'rol-057',
  'rol-061',
]);

/** Areas all of whose cases must be run here or named in a unit test. */
export const COVERED_AREAS: ReadonlySet<string> = new Set([...RUN, 'pkcs7', 'ttl']);

export function isRunAsItStands(item: BlackBoxCase): boolean {
  return RUN.has(item.area) && item.request.method !== undefined && !NEEDS_UNIT_TEST.has(item.id);
}
