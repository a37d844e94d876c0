/**
 * Semantic versions: which texts are some, and their order (semver 2.0; build metadata last, so that the order is total).
 * Apart from addresses, whose declarations are public: semver brings no types.
 */
import type { SemVer } from 'semver';
import parseSemVer from 'semver/functions/parse.js';

const MAX_VERSION_CHARACTERS = 128;

/** A version without a leading `v` or white space; undefined for any other value. */
export function parseVersion(text: unknown): SemVer | undefined {
  if (typeof text !== 'string' || text.length > MAX_VERSION_CHARACTERS) return undefined;
  const parsed = parseSemVer(text);
  if (parsed === null) return undefined;
  // The reader also takes "v1.0.0" and " 1.0.0": two spellings would be two keys of one version.
  const canonical = parsed.build.length === 0 ? parsed.version : `${parsed.version}+${parsed.build.join('.')}`;
  return canonical === text ? parsed : undefined;
}

/** Below zero where `left` is older. */
export function compareVersions(left: SemVer, right: SemVer): number {
  return left.compare(right) || left.compareBuild(right);
}

export function isPrerelease(version: SemVer): boolean {
  return version.prerelease.length > 0;
}
