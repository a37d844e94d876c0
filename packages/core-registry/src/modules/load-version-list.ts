/** The versions of a module, from the catalogue and from what storage says of them. */
import type { CallOptions, ModuleAddress } from '@postern/ports';
import { optionsOf } from '../access.js';
import type { RegistryContext } from '../context.js';
import type { VersionList } from '../results.js';
import { makeVersionList } from './make-version-list.js';

/** Undefined where there is no such module. */
export async function loadVersionList(
  { ports, readModuleStatuses }: RegistryContext,
  module: ModuleAddress,
  call: CallOptions,
): Promise<VersionList | undefined> {
  const options = optionsOf(call);
  // One after the other: a version that is published anew in between must not be shown with the notice of the one before.
  const summaries = await ports.catalogue.versions(module, options);
  const known = await readModuleStatuses(module, options);
  return makeVersionList(module, summaries, known);
}
