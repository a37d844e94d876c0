/** How a version is added: received, judged, read, kept, and made visible by one commit. Nothing is left of what fails. */
import {
  ModuleArchiveError,
  type ModulePublication,
  type ModuleVersionAddress,
  type ModuleVersionDetails,
  type Operation,
} from '@postern/ports';
import { inspectArchive } from '../archive/inspect-archive.js';
import { type SpooledArchive, withSpooled } from '../archive/spool.js';
import { readModule } from '../module/read-module.js';
import { checkVersionAddress } from '../names/module-names.js';
import { checkFacts } from '../names/publication-facts.js';
import { type BlobClaim, claimBlob, putClaimed, releaseClaim } from './blob-claims.js';
import {
  asRead,
  attempt,
  backOff,
  type CatalogueContext,
  decodeBlob,
  decodeModule,
  MAX_ATTEMPTS,
  ofStorage,
  readVersion,
  tooBusy,
  type VersionRecord,
} from './records.js';
import { readDetails, toParts, toSummary } from './version-contents.js';

/** A version ready to be kept. */
interface PreparedVersion {
  readonly address: ModuleVersionAddress;
  readonly record: VersionRecord;
  readonly details: ModuleVersionDetails;
  /** Operations that concern this version alone. */
  readonly own: readonly Operation[];
}

/** See `ModulePublisher.publish`. */
export async function publishVersion(
  context: CatalogueContext,
  publication: ModulePublication,
  signal: AbortSignal | undefined,
): Promise<ModuleVersionDetails> {
  const { version: address, content } = publication;
  checkVersionAddress(address);
  const facts = checkFacts(publication);
  const { scratchFolder, limits } = context;
  return withSpooled(scratchFolder, content, limits.maxArchiveBytes, signal, async (archive) => {
    const existing = await sameOrRefused(context, address, archive.digest);
    if (existing !== undefined) return existing;
    const { format, files } = await inspectArchive(archive, publication.format, limits, signal);
    const contents = await readModule(files, address.name, signal);
    const publishedAt = context.clock.now();
    const parts = toParts(contents);
    const archiveFacts = { format, sizeBytes: archive.sizeBytes, digest: archive.digest };
    const record = { ...facts, publishedAt, archive: archiveFacts, parts: parts.length };
    const { keys } = context;
    const summary = context.encode(toSummary(address.version, publishedAt, contents));
    const own: readonly Operation[] = [
      { type: 'put', key: keys.version(address), value: context.encode(record), if: 'absent' },
      { type: 'put', key: keys.summary(address), value: summary, if: 'any' },
      ...parts.map((value, index): Operation => {
        return { type: 'put', key: keys.part(address, archive.digest, index), value, if: 'any' };
      }),
    ];
    const details = { address, ...facts, publishedAt, archive: archiveFacts, ...contents };
    signal?.throwIfAborted();
    return keep(context, { address, record, details, own }, archive);
  });
}

/** From here on the caller's signal is not looked at: what is begun is ended, one way or the other. */
async function keep(
  context: CatalogueContext,
  prepared: PreparedVersion,
  archive: SpooledArchive,
): Promise<ModuleVersionDetails> {
  for (let made = 0; made < MAX_ATTEMPTS; made += 1) {
    const claim = await claimBlob(context, archive.digest);
    let isKept = false;
    try {
      await putClaimed(context.blobs, claim, archive.content(), archive.sizeBytes);
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
  const moduleKey = keys.module(prepared.address);
  for (let made = 0; made < MAX_ATTEMPTS; made += 1) {
    const [module, blob] = await ofStorage(() => storage.getMany([moduleKey, claim.key]));
    const claimed = blob === undefined ? undefined : decodeBlob(claim.key, blob.value);
    if (blob === undefined || claimed === undefined || claimed.life !== claim.life || claimed.removing)
      return undefined;
    const versions = module === undefined ? 0 : decodeModule(moduleKey, module.value).versions;
    const references = claimed.references + 1;
    const blobValue = context.encode({ references, touchedAt: context.clock.now(), life: claim.life, removing: false });
    const operations: readonly Operation[] = [
      ...prepared.own,
      { type: 'put', key: moduleKey, value: context.encode({ versions: versions + 1 }), if: asRead(module) },
      { type: 'put', key: claim.key, value: blobValue, if: asRead(blob) },
    ];
    const { done } = await attempt(['conflict', 'outcome_unknown'], () => storage.commit(operations));
    if (done !== undefined) return prepared.details;
    // Another process was first, or the outcome is unknown: the next read shows.
    const existing = await sameOrRefused(context, prepared.address, claim.digest);
    if (existing !== undefined) return existing;
    await backOff(made);
  }
  throw tooBusy();
}

/** The version that is there, when it has these bytes. @throws ModuleArchiveError `version_exists` when it has others. */
async function sameOrRefused(
  context: CatalogueContext,
  address: ModuleVersionAddress,
  digest: string,
): Promise<ModuleVersionDetails | undefined> {
  const found = await readVersion(context, address);
  if (found === undefined) return undefined;
  if (found.record.archive.digest === digest) return readDetails(context, address);
  const { namespace, name, provider, version } = address;
  const message = `Version ${version} of ${namespace}/${name}/${provider} is published with other content: raise the version.`;
  throw new ModuleArchiveError('version_exists', message);
}
