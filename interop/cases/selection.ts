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

/** Reads the shared cases itself and decides each of these areas whole. */
const SIGNED_REQUEST_CASES = 'packages/core-auth/src/evidence/caller-identity/shared-cases.test.ts';

const RUN_IN_UNIT_TEST: ReadonlyMap<string, string> = new Map(
  ['arn', 'iam-get', 'iam-headers', 'iam-region', 'iam-server-id', 'iam-sts'].map((area) => [
    area,
    SIGNED_REQUEST_CASES,
  ]),
);

/**
 * Areas all of whose cases must be run here or named in a unit test. Not `legacy-role`: what older versions of the
 * reference stored is read by an importer only, and there is none.
 */
export const COVERED_AREAS: ReadonlySet<string> = new Set([
  ...RUN,
  ...RUN_IN_UNIT_TEST.keys(),
  'deny-list',
  'ec2-role-tag-login',
  'iam-login',
  'iam-principal',
  'inference',
  'pkcs7',
  'renewal',
  'role-tag',
  'rotate-root',
  'tidy',
  'ttl',
]);

/** The unit test that runs every case of an area as it reads them. */
export function runInUnitTest({ area }: BlackBoxCase): string | undefined {
  return RUN_IN_UNIT_TEST.get(area);
}

export function isRunAsItStands(item: BlackBoxCase): boolean {
  return RUN.has(item.area) && item.request.method !== undefined && !NEEDS_UNIT_TEST.has(item.id);
}
