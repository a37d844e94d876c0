/** How a version is added: received, judged, read, kept, and made visible by one commit. Nothing is left of what fails. */

import type { FileHandle } from 'node:fs/promises';
import {
  ModuleArchiveError,
  type ModulePublication,
  type ModuleVersionAddress,
  type ModuleVersionDetails,
  type Operation,
  type PublisherCall,
} from '@postern/ports';
import { type ArchiveFile, readAll } from '../archive/archive-file.js';
import { type SpooledArchive, withScratchFile, withSpooled } from '../archive/spool.js';
import { attempt, backOff, MAX_ATTEMPTS, tooBusy } from './attempts.js';
import { type BlobClaim, claimBlob, putClaimed, releaseClaim } from './blob-claims.js';
import { withVersion } from './newest-version.js';
import { checkFacts } from './publication-facts.js';
import {
  asRead,
  type CatalogueContext,
  type ContentsRecord,
  checkVersionAddress,
  decodeBlob,
  decodeModule,
  ofStorage,
  readVersion,
  type SendCommit,
  type VersionRecord,
} from './records.js';
import { takeNumber, takenKeys } from './taken-numbers.js';
import { changeUsage, checkUsage, hasQuota, readUsage } from './usage.js';
import { readDetails, toParts, toSummary } from './version-contents.js';

/** A version ready to be kept. */
interface PreparedVersion {
  readonly address: ModuleVersionAddress;
  readonly record: VersionRecord & { readonly uploadDigest: string };
  readonly details: ModuleVersionDetails;
  /** Operations that concern this version alone. */
  readonly own: readonly Operation[];
  readonly commit: SendCommit;
}

/** See `ModulePublisher.publish`. */
export async function publishVersion(
  context: CatalogueContext,
  publication: ModulePublication,
  { signal, commit = (operations) => context.storage.commit(operations) }: PublisherCall = {},
): Promise<ModuleVersionDetails> {
  const { version: address, content } = publication;
  checkVersionAddress(address);
  const facts = checkFacts(publication);
  const { scratchFolder, limits } = context;
  await refuseBeforeUpload(context, address);
  const publishSpooled = async (upload: SpooledArchive, target: FileHandle) => {
    const existing = await sameOrRefused(context, address, upload.digest);
    if (existing !== undefined) return existing;
    const { archive, contents: text } = await context.reader.read(
      {
        source: upload.file.fd,
        sourceBytes: upload.sizeBytes,
        target: target.fd,
        format: publication.format,
        name: address.name,
        limits,
      },
      signal,
    );
    const publishedAt = context.clock.now();
    const parts = toParts(text);
    // What the reader wrote.
    const contents: ContentsRecord = JSON.parse(text);
    const record = { ...facts, publishedAt, archive, uploadDigest: upload.digest, parts: parts.length };
    const { keys } = context;
    const summary = context.encode(toSummary(address.version, publishedAt, contents));
    const own: readonly Operation[] = [
      { type: 'put', key: keys.version(address), value: context.encode(record), if: 'absent' },
      { type: 'put', key: keys.summary(address), value: summary, if: 'any' },
      ...parts.map((value, index): Operation => {
        return { type: 'put', key: keys.part(address, archive.digest, index), value, if: 'any' };
      }),
    ];
    const details = { address, ...facts, publishedAt, archive, ...contents };
    signal?.throwIfAborted();
    return keep(context, { address, record, details, own, commit }, target);
  };
  return withSpooled(scratchFolder, content, limits.maxArchiveBytes, signal, (upload) =>
    withScratchFile(scratchFolder, (target) => publishSpooled(upload, target)),
  );
}

/** Nobody sends an archive for nothing, unless it is there already: the same again changes nothing. */
async function refuseBeforeUpload(context: CatalogueContext, address: ModuleVersionAddress): Promise<void> {
  const { namespace } = address;
  if (!hasQuota(context, namespace)) return;
  const stored = await ofStorage(() => context.storage.get(context.keys.usage(namespace)));
  const usage = await readUsage(context, namespace, stored);
  if ((await readVersion(context, address)) === undefined) checkUsage(context, namespace, usage);
}

/** From here on the caller's signal is not looked at: what is begun is ended, one way or the other. */
async function keep(
  context: CatalogueContext,
  prepared: PreparedVersion,
  file: ArchiveFile,
): Promise<ModuleVersionDetails> {
  const { digest, sizeBytes } = prepared.record.archive;
  for (let made = 0; made < MAX_ATTEMPTS; made += 1) {
    const claim = await claimBlob(context, digest);
    let isKept = false;
    try {
      await putClaimed(context.blobs, claim, readAll(file, sizeBytes), sizeBytes);
      const kept = await commitClaimed(context, prepared, claim);
      isKept = kept === prepared.details;
      if (kept !== undefined) return kept;
    } finally {
      // Best effort: a sweep finds what is left where the storage is gone. A commit whose answer was lost can't apply
      // after this, and has this fail if it did.
      if (!isKept) await releaseClaim(context, claim).catch(() => undefined);
    }
  }
  throw tooBusy();
}

/** Undefined when the blob was removed since it was claimed. Others who write the same module are waited for. */
async function commitClaimed(
  context: CatalogueContext,
  prepared: PreparedVersion,
  claim: BlobClaim,
): Promise<ModuleVersionDetails | undefined> {
  const { keys, storage } = context;
  const { namespace } = prepared.address;
  const { archive } = prepared.record;
  const moduleKey = keys.module(prepared.address);
  const usageKey = keys.usage(namespace);
  for (let made = 0; made < MAX_ATTEMPTS; made += 1) {
    const read = [moduleKey, claim.key, usageKey, ...takenKeys(context, prepared.address)];
    const [module, blob, stored, taken, spelling] = await ofStorage(() => storage.getMany(read));
    const claimed = blob === undefined ? undefined : decodeBlob(claim.key, blob.value);
    if (blob === undefined || claimed === undefined || claimed.life !== claim.life || claimed.removing)
      return undefined;
    const usage = await readUsage(context, namespace, stored);
    checkUsage(context, namespace, usage, archive.sizeBytes);
    const number = { taken, spelling, isNew: module === undefined };
    const numberOperations = await takeNumber(context, prepared.address, prepared.record, number);
    const known = module && decodeModule(moduleKey, module.value);
    const moduleRecord = await withVersion(context, prepared.address, prepared.record, known);
    const references = claimed.references + 1;
    const blobValue = context.encode({ references, touchedAt: context.clock.now(), life: claim.life, removing: false });
    const operations: readonly Operation[] = [
      ...prepared.own,
      { type: 'put', key: moduleKey, value: context.encode(moduleRecord), if: asRead(module) },
      { type: 'put', key: claim.key, value: blobValue, if: asRead(blob) },
      changeUsage(context, namespace, usage, 1, archive.sizeBytes),
      ...numberOperations,
    ];
    const { done } = await attempt(['conflict', 'outcome_unknown'], () => prepared.commit(operations, archive));
    if (done !== undefined) return prepared.details;
    // Another process was first, or the outcome is unknown: the next read shows.
    const existing = await sameOrRefused(context, prepared.address, prepared.record.uploadDigest);
    if (existing !== undefined) return existing;
    await backOff(made);
  }
  throw tooBusy();
}

/** The version that is there, when it was published from these bytes. @throws ModuleArchiveError `version_exists` when it has others. */
async function sameOrRefused(
  context: CatalogueContext,
  address: ModuleVersionAddress,
  uploadDigest: string,
): Promise<ModuleVersionDetails | undefined> {
  const found = await readVersion(context, address);
  if (found === undefined) return undefined;
  const { record } = found;
  if ((record.uploadDigest ?? record.archive.digest) === uploadDigest) return readDetails(context, address);
  const { namespace, name, provider, version } = address;
  const message = `version ${version} of ${namespace}/${name}/${provider} is published with other content: raise the version`;
  throw new ModuleArchiveError('version_exists', message);
}
