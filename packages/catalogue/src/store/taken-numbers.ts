/**
 * A number that was published is taken for ever (PUBLISH-5). What it was published as stays in a record of its own, written in the
 * commit that makes the version visible, or gone where an earlier release published it: under that number only the same bytes may
 * return. Numbers that differ in build metadata alone share the record, and so do modules whose names differ in letter case alone.
 */
import { ModuleArchiveError, type ModuleVersionAddress, type Operation, type StoredRecord } from '@postern/ports';
import {
  type CatalogueContext,
  decodeSpelling,
  decodeTaken,
  ofStorage,
  pagesOf,
  type TakenRecord,
  type VersionRecord,
  withoutBuild,
} from './records.js';

/** What is read of both, in this order. */
export const takenKeys = ({ keys }: CatalogueContext, address: ModuleVersionAddress): readonly string[] => [
  keys.taken(address),
  keys.spelling(address),
];

/**
 * What the commit that publishes a version adds.
 *
 * @param isNew whether no module is spelled exactly so.
 * @throws ModuleArchiveError `version_exists`.
 */
export async function takeNumber(
  context: CatalogueContext,
  address: ModuleVersionAddress,
  published: VersionRecord,
  { taken, spelling, isNew }: { taken: StoredRecord | undefined; spelling: StoredRecord | undefined; isNew: boolean },
): Promise<readonly Operation[]> {
  const { namespace, name } = address;
  if (taken === undefined) refuseOtherVersion(address, isNew ? undefined : await otherBuild(context, address));
  else refuseOtherBytes(address, published, decodeTaken(taken.key, taken.value));
  if (spelling !== undefined) refuseOtherSpelling(address, decodeSpelling(spelling.key, spelling.value));
  else if (isNew) refuseOtherSpelling(address, await otherSpelling(context, address));
  return [
    ...(taken === undefined ? [tombstone(context, address, published)] : []),
    ...(spelling === undefined
      ? [
          {
            type: 'put',
            key: context.keys.spelling(address),
            value: context.encode({ namespace, name }),
            if: 'absent',
          } as const,
        ]
      : []),
  ];
}

/** What the commit that deletes a version adds: a record only where an earlier release published it. */
export function keepNumber(
  context: CatalogueContext,
  address: ModuleVersionAddress,
  deleted: VersionRecord,
  taken: StoredRecord | undefined,
): readonly Operation[] {
  return taken === undefined ? [tombstone(context, address, deleted)] : [];
}

function tombstone(context: CatalogueContext, address: ModuleVersionAddress, record: VersionRecord): Operation {
  const { digest } = record.archive;
  const value = { version: address.version, uploadDigest: record.uploadDigest ?? digest, digest };
  return { type: 'put', key: context.keys.taken(address), value: context.encode(value), if: 'absent' };
}

/** The same archive may come of another upload: its bytes are what is served. */
function refuseOtherBytes(address: ModuleVersionAddress, published: VersionRecord, taken: TakenRecord): void {
  refuseOtherVersion(address, taken.version === address.version ? undefined : taken.version);
  if (published.uploadDigest === taken.uploadDigest || published.archive.digest === taken.digest) return;
  throw refused(`version ${address.version} of ${text(address)} was published with other content: raise the version`);
}

function refuseOtherVersion(address: ModuleVersionAddress, other: string | undefined): void {
  if (other === undefined) return;
  const rule = 'versions that differ in build metadata alone are one';
  throw refused(
    `version ${address.version} of ${text(address)} was published as ${other}, and ${rule}: raise the version`,
  );
}

function refuseOtherSpelling(
  address: ModuleVersionAddress,
  first: { readonly namespace: string; readonly name: string } | undefined,
): void {
  if (first === undefined || (first.namespace === address.namespace && first.name === address.name)) return;
  const written = text({ ...address, ...first });
  throw refused(
    `the module ${text(address)} was published as ${written}, and letter case makes no difference: publish there`,
  );
}

/** Of an earlier release, which kept no record of numbers. */
async function otherBuild(context: CatalogueContext, address: ModuleVersionAddress): Promise<string | undefined> {
  const { keys, storage } = context;
  const prefix = keys.summariesOf(address);
  const number = withoutBuild(address.version);
  const plain = { ...address, version: number };
  const query = { limit: 2 };
  const [itself, builds] = await ofStorage(() =>
    Promise.all([storage.get(keys.summary(plain)), storage.list(`${prefix}${number}+`, query)]),
  );
  const versions = [
    ...(itself === undefined ? [] : [number]),
    ...builds.items.map(({ key }) => key.slice(prefix.length)),
  ];
  return versions.find((version) => version !== address.version);
}

/** As `otherBuild`. */
async function otherSpelling(context: CatalogueContext, { namespace, name, provider }: ModuleVersionAddress) {
  const prefix = context.keys.modulesOf(namespace);
  const wanted = `${name}!${provider}`;
  for await (const records of pagesOf(context, prefix)) {
    for (const { key } of records) {
      const written = key.slice(prefix.length);
      if (written !== wanted && written.toLowerCase() === wanted.toLowerCase()) {
        return { namespace, name: written.split('!')[0] ?? '' };
      }
    }
  }
  return undefined;
}

const text = ({ namespace, name, provider }: Omit<ModuleVersionAddress, 'version'>) =>
  `${namespace}/${name}/${provider}`;

const refused = (message: string) => new ModuleArchiveError('version_exists', message);
