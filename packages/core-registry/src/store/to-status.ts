/** From the record of a version to what everybody sees of it: frozen, for callers share it. */
import type { ModuleVersionAddress } from '@postern/ports';
import { versionAddress, versionId } from '../addresses/address.js';
import type { Deprecation, Revocation, VersionStatus } from '../version-status.js';
import type { NO_STATUS, StatusRecord } from './records.js';

export function toStatus(
  address: ModuleVersionAddress,
  { state, deprecation, revocation }: StatusRecord | typeof NO_STATUS,
): VersionStatus {
  return Object.freeze({
    id: versionId(address),
    address: versionAddress(address, address.version),
    state,
    deprecation: deprecation === null ? null : freezeDeprecation(deprecation),
    revocation: revocation === null ? null : Object.freeze<Revocation>({ ...revocation }),
  });
}

function freezeDeprecation({ replacement, ...others }: Deprecation): Deprecation {
  return Object.freeze({ ...others, replacement: replacement === null ? null : Object.freeze({ ...replacement }) });
}
