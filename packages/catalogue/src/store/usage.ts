/**
 * How much an organization keeps: versions, and bytes of their archives, each counted by itself though equal archives share a blob. The
 * record changes in the commit that adds or removes a version, as it was read, so that parallel uploads cannot pass a quota
 * (PUBLISH-8). Where it is missing (an earlier release published), the versions are counted.
 */
import { ModuleArchiveError, type Operation, type StoredRecord } from '@postern/ports';
import { attempt } from './attempts.js';
import {
  asRead,
  type CatalogueContext,
  decodeUsage,
  decodeVersion,
  type OrganizationQuota,
  ofStorage,
  pagesOf,
  type Quota,
  type UsageRecord,
} from './records.js';

/** As it was read, with the condition under which it still holds. */
export interface StoredUsage extends UsageRecord {
  readonly stored: StoredRecord | undefined;
}

/** @throws TypeError for a limit that is no whole number. */
export function checkQuota(quota: Quota): Quota {
  const all = Object.entries(quota.organizations ?? {}).map(
    ([name, each]) => [`quota.organizations.${name}`, each] as const,
  );
  for (const [name, { versions, bytes }] of [['quota', quota] as const, ...all]) {
    for (const [what, limit] of Object.entries({ versions, bytes })) {
      if (limit === undefined || (Number.isSafeInteger(limit) && limit >= 0)) continue;
      throw new TypeError(`${name}.${what}: must be a whole number`);
    }
  }
  return quota;
}

/** @param stored the record, where it was read already together with others. */
export async function readUsage(
  context: CatalogueContext,
  namespace: string,
  stored: StoredRecord | undefined,
): Promise<StoredUsage> {
  if (stored !== undefined) return { ...decodeUsage(stored.key, stored.value), stored };
  return { ...(await countUsage(context, namespace)), stored };
}

async function countUsage(context: CatalogueContext, namespace: string): Promise<UsageRecord> {
  let versions = 0;
  let bytes = 0;
  for await (const records of pagesOf(context, context.keys.versionsOf(namespace))) {
    versions += records.length;
    for (const { key, value } of records) bytes += decodeVersion(key, value).archive.sizeBytes;
  }
  return { versions, bytes };
}

/** The change of the record, for the commit that adds a version (`by` 1) or removes one (-1). */
export function changeUsage(
  context: CatalogueContext,
  namespace: string,
  { versions, bytes, stored }: StoredUsage,
  by: 1 | -1,
  sizeBytes: number,
): Operation {
  const usage = { versions: Math.max(0, versions + by), bytes: Math.max(0, bytes + by * sizeBytes) };
  return writeUsage(context, namespace, stored, usage);
}

/** What keeps nothing has no record. */
function writeUsage(
  context: CatalogueContext,
  namespace: string,
  stored: StoredRecord | undefined,
  usage: UsageRecord,
): Operation {
  const key = context.keys.usage(namespace);
  if (usage.versions > 0) return { type: 'put', key, value: context.encode(usage), if: asRead(stored) };
  return { type: stored === undefined ? 'check' : 'delete', key, if: asRead(stored) };
}

function quotaOf(quota: Quota, namespace: string): OrganizationQuota {
  const own = quota.organizations;
  return (own && Object.hasOwn(own, namespace) ? own[namespace] : undefined) ?? quota;
}

export function hasQuota({ quota }: CatalogueContext, namespace: string): boolean {
  const { versions, bytes } = quotaOf(quota, namespace);
  return versions !== undefined || bytes !== undefined;
}

/**
 * @param sizeBytes of the archive to add; without it only what is over already is refused: before an upload is read.
 * @throws ModuleArchiveError `quota_exceeded`, with limit and usage.
 */
export function checkUsage(
  { quota }: CatalogueContext,
  namespace: string,
  usage: StoredUsage,
  sizeBytes?: number,
): void {
  const { versions, bytes } = quotaOf(quota, namespace);
  if (versions !== undefined && usage.versions + 1 > versions) {
    throw exceeded(namespace, `has ${usage.versions} of ${versions} versions`);
  }
  if (bytes !== undefined && usage.bytes + (sizeBytes ?? 1) > bytes) {
    const size = sizeBytes === undefined ? '' : `, and this archive has ${sizeBytes}`;
    throw exceeded(namespace, `keeps ${usage.bytes} of ${bytes} bytes${size}`);
  }
}

function exceeded(namespace: string, state: string): ModuleArchiveError {
  const message = `the organization ${namespace} ${state}: delete versions, or ask the operator for a higher quota`;
  return new ModuleArchiveError('quota_exceeded', message);
}

/**
 * Counts again what organizations keep: processes of an earlier release publish without counting. What changes meanwhile is left for
 * the next time.
 */
export async function recountUsages(context: CatalogueContext): Promise<void> {
  const { usages } = context.keys;
  for await (const records of pagesOf(context, usages)) {
    for (const { key } of records) {
      // A record that cannot be read must not stop the sweep: what is counted stays.
      await recountUsage(context, key.slice(usages.length)).catch(() => undefined);
    }
  }
}

async function recountUsage(context: CatalogueContext, namespace: string): Promise<void> {
  const key = context.keys.usage(namespace);
  const stored = await ofStorage(() => context.storage.get(key));
  if (stored === undefined) return;
  const kept = decodeUsage(key, stored.value);
  const counted = await countUsage(context, namespace);
  if (kept.versions === counted.versions && kept.bytes === counted.bytes) return;
  const operation = writeUsage(context, namespace, stored, counted);
  await attempt(['conflict', 'outcome_unknown'], () => context.storage.commit([operation]));
}
