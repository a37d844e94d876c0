/** How a version is removed: invisible by one commit, then its archive when no other version has it. */
import type { ModuleVersionAddress, Operation, PublisherCall } from '@postern/ports';
import { MAX_PARTS } from '../module/contents-size.js';
import { attempt, backOff, MAX_ATTEMPTS, tooBusy } from './attempts.js';
import { finishRemoval } from './blob-claims.js';
import { withoutVersion } from './newest-version.js';
import {
  asRead,
  type CatalogueContext,
  decodeBlob,
  decodeModule,
  type FoundVersion,
  ofStorage,
  readVersion,
  type SendCommit,
} from './records.js';
import { keepNumber } from './taken-numbers.js';
import { changeUsage, readUsage } from './usage.js';

/** See `ModulePublisher.delete`. */
export async function deleteVersion(
  context: CatalogueContext,
  address: ModuleVersionAddress,
  { signal, commit = (operations) => context.storage.commit(operations) }: PublisherCall = {},
): Promise<boolean> {
  let mayBeOurs = false;
  for (let made = 0; made < MAX_ATTEMPTS; made += 1) {
    const found = await readVersion(context, address, signal);
    // Gone after a commit whose answer was lost: that commit most likely removed it.
    if (found === undefined) return mayBeOurs;
    const outcome = await tryDelete(context, address, found, commit);
    if (outcome === 'deleted') return true;
    mayBeOurs ||= outcome === 'outcome_unknown';
    await backOff(made);
  }
  throw tooBusy();
}

async function tryDelete(
  context: CatalogueContext,
  address: ModuleVersionAddress,
  found: FoundVersion,
  commit: SendCommit,
): Promise<'deleted' | 'conflict' | 'outcome_unknown'> {
  const { keys, storage } = context;
  const { digest, sizeBytes } = found.record.archive;
  const { namespace } = address;
  const read = [keys.module(address), keys.blob(digest), keys.usage(namespace), keys.taken(address)];
  const [module, blob, stored, taken] = await ofStorage(() => storage.getMany(read));
  const usage = await readUsage(context, namespace, stored);
  const now = context.clock.now();
  const { references: before, life } =
    blob === undefined ? { references: 1, life: '' } : decodeBlob(blob.key, blob.value);
  const references = Math.max(0, before - 1);
  const moduleRecord = await withoutVersion(context, address, module && decodeModule(module.key, module.value));
  const blobValue = context.encode({ references, touchedAt: now, life, removing: references === 0 });
  const parts = Array.from({ length: found.record.parts }, (_, index): Operation => {
    return { type: 'delete', key: keys.part(address, digest, index), if: 'any' };
  });
  const operations: readonly Operation[] = [
    { type: 'put', key: keys.blob(digest), value: blobValue, if: asRead(blob) },
    moduleRecord.versions === 0
      ? { type: 'delete', key: keys.module(address), if: asRead(module) }
      : { type: 'put', key: keys.module(address), value: context.encode(moduleRecord), if: asRead(module) },
    { type: 'delete', key: keys.version(address), if: { version: found.version } },
    { type: 'delete', key: keys.summary(address), if: 'any' },
    changeUsage(context, namespace, usage, -1, sizeBytes),
    ...keepNumber(context, address, found.record, taken),
    ...parts.slice(0, MAX_PARTS),
  ];
  const result = await attempt(['conflict', 'outcome_unknown'], () => commit(operations, found.record.archive));
  if (result.done === undefined) return result.code === 'conflict' ? 'conflict' : 'outcome_unknown';
  // Earlier releases kept more parts than one commit takes beside the rest: they are not read any more.
  const surplus = parts.slice(MAX_PARTS);
  if (surplus.length > 0) await storage.commit(surplus).catch(() => undefined);
  const removing = references === 0 ? result.done.versions[0] : undefined;
  // The version is gone, whatever becomes of its archive: a sweep ends a removal that fails here.
  if (removing !== undefined) await finishRemoval(context, digest, removing, now).catch(() => false);
  return 'deleted';
}
