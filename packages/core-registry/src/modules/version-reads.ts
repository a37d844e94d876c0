/** Reads of single versions: details, status, history, archive (MODULE-3; revoked versions are not downloaded). */
import type { CallOptions, ModuleCatalogue, ModuleVersionAddress } from '@postern/ports';
import { isVersionAddress, moduleText, versionAddress, versionId } from '../addresses/address.js';
import type { RegistryContext } from '../context.js';
import { RegistryError } from '../errors.js';
import { historyQuery, invalidInput, parseInput } from '../input/schemas.js';
import type { Registry } from '../registry.js';
import type { HistoryEntry, HistoryPage, HistoryQuery } from '../results.js';
import { notFound, type Operations, present, type SessionRunner } from '../session.js';
import { type StoredStatus, toStatus } from '../store/status-store.js';
import { MAX_STATUSES, type VersionStatus } from '../version-status.js';

export function createVersionReads(
  context: RegistryContext,
): Operations<'readVersion' | 'readVersionWithHistory' | 'status' | 'statuses' | 'history' | 'authorizeDownload'> {
  const { ports, store } = context;
  const { catalogue } = ports;

  /**
   * What the catalogue has of a version, then its record; undefined where the catalogue has nothing. In this order: a
   * version that is deleted and published again in between must not show the notice of the former one. The record is read
   * for a missing version too: a missing one takes as long as a forbidden one.
   */
  const withRecord =
    <T>(lookUp: (address: ModuleVersionAddress, options: CallOptions) => Promise<T | undefined>) =>
    ({ options }: SessionRunner) =>
    async (address: ModuleVersionAddress): Promise<{ found: T; record: StoredStatus['record'] } | undefined> => {
      const found = await lookUp(address, options);
      const { record } = await store.read(address, options);
      return found === undefined ? undefined : { found, record };
    };
  const presence = withRecord((address, options) => present(context, address, options));
  const details = withRecord((address, options) => catalogue.details(address, options));

  async function historyPage(
    address: ModuleVersionAddress,
    total: number,
    query: HistoryQuery,
    options: CallOptions,
  ): Promise<HistoryPage> {
    const { before, limit } = parseInput(historyQuery, query);
    const newest = Math.min(total, (before ?? Number.POSITIVE_INFINITY) - 1);
    const oldest = Math.max(1, newest - limit + 1);
    const seqs = Array.from({ length: Math.max(0, newest - oldest + 1) }, (_, at) => newest - at);
    const entries = await store.readHistory(address, seqs, options);
    return {
      entries: entries.map((entry, at) => entry ?? missingEntry(address, seqs[at])),
      total,
      next: oldest > 1 && seqs.length > 0 ? oldest : undefined,
    };
  }

  return {
    readVersion: (session, version) =>
      session.onVersion('registry.version.read', version, details(session), async ({ address, found }) => ({
        status: toStatus(address, found.record),
        details: found.found,
      })),

    readVersionWithHistory: (session, version, query = {}) =>
      session.onVersion('registry.version.read', version, details(session), async ({ address, found }) => ({
        status: toStatus(address, found.record),
        details: found.found,
        history: await historyPage(address, found.record.seq, query, session.options),
      })),

    status: (session, version) =>
      session.onVersion('registry.version.status', version, presence(session), async ({ address, found }) =>
        toStatus(address, found.record),
      ),

    statuses: (session, source) =>
      session.run('registry.version.statuses', {}, async ({ mayRead, read }) => {
        const versions = await read(source);
        if (!Array.isArray(versions) || versions.length > MAX_STATUSES) {
          throw invalidInput('', `a list of at most ${MAX_STATUSES} versions`);
        }
        const asked = new Map<string, ModuleVersionAddress>();
        for (const version of versions) if (isVersionAddress(version)) asked.set(versionId(version), version);
        const namespaces = [...new Set([...asked.values()].map(({ namespace }) => namespace))];
        const [rights, exists] = await Promise.all([
          Promise.all(namespaces.map(mayRead)),
          Promise.all([...asked.values()].map((version) => catalogue.hasVersion(version, session.options))),
        ]);
        // After the catalogue, as for a single version.
        const statuses = await store.readMany([...asked.values()], session.options);
        const allowed = new Set(namespaces.filter((_, at) => rights[at] === true));
        const found = new Map(
          statuses
            .filter((status, at) => exists[at] === true && allowed.has(status.address.namespace))
            .map((status) => [status.id, status]),
        );
        return versions.map((version) => (isVersionAddress(version) ? found.get(versionId(version)) : undefined));
      }),

    history: (session, version, query = {}) =>
      session.onVersion('registry.version.history', version, presence(session), ({ address, found }) =>
        historyPage(address, found.record.seq, query, session.options),
      ),

    authorizeDownload: (session, version) =>
      session.onVersion('registry.version.download', version, details(session), async ({ address, found }) => {
        const status = toStatus(address, found.record);
        refuseRevoked(status);
        return { status, archive: found.found.archive };
      }),
  };
}

/** Archives by signed address: the transport has verified the address, so there is no caller and no session. */
export function createOpenArchive({ ports, store, runAudited }: RegistryContext): Registry['openArchive'] {
  return (call, { namespace, name, provider, version }) => {
    const asked = { namespace, module: name, provider, version };
    return runAudited('registry.version.archive', asked, call, async ({ annotate }) => {
      const options: CallOptions = call.signal === undefined ? {} : { signal: call.signal };
      const address = versionAddress({ namespace, name, provider }, version);
      if (!isVersionAddress(address)) throw notFound(annotate, 'address_malformed');
      const status = toStatus(address, (await store.read(address, options)).record);
      // Before the archive is opened: an open file that is never read is a leak.
      refuseRevoked(status);
      const submodules = status.deprecation === null ? [] : await submodulesOf(ports.catalogue, address, options);
      const archive = await ports.catalogue.archive(address, options);
      if (archive === undefined) throw notFound(annotate, 'missing');
      return { status, archive, submodules };
    });
  };
}

async function submodulesOf(
  catalogue: ModuleCatalogue,
  address: ModuleVersionAddress,
  options: CallOptions,
): Promise<readonly string[]> {
  const summaries = await catalogue.versions(address, options);
  return summaries.find(({ version }) => version === address.version)?.submodules.map(({ path }) => path) ?? [];
}

/** Stock clients print the body of this answer (MODULE-7), so it carries the reason. */
function refuseRevoked({ address, revocation }: VersionStatus): void {
  if (revocation === null) return;
  const { reason, link } = revocation;
  const sentences = [
    `Module version ${address.version} of ${moduleText(address)} is revoked.`,
    ...(reason === null ? [] : [reason]),
    ...(link === null ? [] : [`More information: ${link}`]),
  ];
  throw new RegistryError('download_revoked', sentences.join(' '), {
    details: { ...(reason === null ? {} : { reason }), ...(link === null ? {} : { link }) },
  });
}

/** Status and history are one commit: a number without its entry means damaged storage. */
function missingEntry(address: ModuleVersionAddress, seq: number | undefined): HistoryEntry {
  throw new RegistryError('internal', `the history of ${versionId(address)} has no entry ${seq}`);
}
