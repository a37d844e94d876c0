/** Reads of single versions: details, status, history, archive (MODULE-3; revoked versions are not downloaded). */
import { type ModuleVersionAddress, STORAGE_LIMITS } from '@postern/ports';
import { identify, notFound, optionsOf, requireAccess } from '../access.js';
import { isVersionAddress, moduleText, versionAddress, versionId } from '../addresses/address.js';
import { audited, type RegistryContext } from '../context.js';
import { RegistryError } from '../errors.js';
import { invalidInput, parseInput } from '../input/parse-input.js';
import { historyQuery } from '../input/schemas.js';
import { present } from '../lifecycle/commands.js';
import type { OperationId } from '../operations.js';
import type { Registry } from '../registry.js';
import type { HistoryEntry, HistoryPage, HistoryQuery, RegistryCall } from '../results.js';
import { toStatus } from '../store/to-status.js';
import type { VersionStatus } from '../version-status.js';

/** Versions that one call of `statuses` may ask for: one look-up in storage. */
export const MAX_STATUSES = STORAGE_LIMITS.maxGetMany;

export function createVersionReads(
  context: RegistryContext,
): Pick<Registry, 'readVersion' | 'status' | 'statuses' | 'history' | 'authorizeDownload' | 'openArchive'> {
  const { ports, store, runAudited } = context;
  const { authorizer, catalogue } = ports;

  async function statusOf(address: ModuleVersionAddress, call: Pick<RegistryCall, 'signal'>): Promise<VersionStatus> {
    const { record } = await store.read(address, optionsOf(call));
    return toStatus(address, record);
  }

  /**
   * Both of a version's sides; undefined where the catalogue has none. The catalogue's first: a version that is published
   * anew in between must not be shown with the notice of the one before. Its status also where there is no version: what
   * is not there takes as long as what is not the caller's.
   */
  async function withStatus<T>(
    address: ModuleVersionAddress,
    call: RegistryCall,
    lookUp: () => Promise<T | undefined>,
  ): Promise<{ readonly status: VersionStatus; readonly found: T } | undefined> {
    const found = await lookUp();
    const status = await statusOf(address, call);
    return found === undefined ? undefined : { status, found };
  }

  /**
   * One version, by `read`.
   *
   * @param read looks up, whether or not the caller may see it: says no more than found or not.
   * @param then makes the answer, once it is known that the caller may have one.
   */
  function readOne<T, R>(
    id: OperationId,
    call: RegistryCall,
    { namespace, name, provider, version }: ModuleVersionAddress,
    read: (address: ModuleVersionAddress) => Promise<T | undefined>,
    then: (found: T, address: ModuleVersionAddress) => R | Promise<R>,
  ): Promise<R> {
    return runAudited(audited(id, { namespace, module: name, provider, version }), call, async (note) => {
      const caller = await identify(authorizer, call, note);
      const address = versionAddress({ namespace, name, provider }, version);
      if (!isVersionAddress(address)) throw notFound(note, 'address_malformed');
      const request = { caller, namespace, action: 'read' } as const;
      return then(await requireAccess(authorizer, request, call, note, () => read(address)), address);
    });
  }

  async function readHistoryPage(
    address: ModuleVersionAddress,
    total: number,
    query: HistoryQuery,
    call: RegistryCall,
  ): Promise<HistoryPage> {
    const { before, limit } = parseInput(historyQuery, query);
    const newest = Math.min(total, (before ?? Number.POSITIVE_INFINITY) - 1);
    const oldest = Math.max(1, newest - limit + 1);
    const seqs = Array.from({ length: Math.max(0, newest - oldest + 1) }, (_, at) => newest - at);
    const entries = await store.readHistory(address, seqs, optionsOf(call));
    return {
      entries: entries.map((entry, at) => entry ?? missingEntry(address, seqs[at])),
      total,
      next: oldest > 1 && seqs.length > 0 ? oldest : undefined,
    };
  }

  return {
    readVersion: (call, version) =>
      readOne(
        'registry.version.read',
        call,
        version,
        (address) => withStatus(address, call, () => catalogue.details(address, optionsOf(call))),
        ({ status, found }) => ({ status, details: found }),
      ),

    status: (call, version) =>
      readOne(
        'registry.version.status',
        call,
        version,
        (address) => withStatus(address, call, () => present(context, address, call)),
        ({ status }) => status,
      ),

    statuses: (call, versions) =>
      runAudited(audited('registry.version.statuses', {}), call, async (note) => {
        const caller = await identify(authorizer, call, note);
        if (!Array.isArray(versions) || versions.length > MAX_STATUSES) {
          throw invalidInput('', `a list of at most ${MAX_STATUSES} versions`);
        }
        const asked = new Map<string, ModuleVersionAddress>();
        for (const version of versions) if (isVersionAddress(version)) asked.set(versionId(version), version);
        const namespaces = [...new Set([...asked.values()].map(({ namespace }) => namespace))];
        const options = optionsOf(call);
        const [rights, exists] = await Promise.all([
          Promise.all(
            namespaces.map((namespace) => authorizer.isAllowed({ caller, namespace, action: 'read' }, options)),
          ),
          Promise.all([...asked.values()].map((version) => catalogue.hasVersion(version, options))),
        ]);
        // After it is known which are there, as for one.
        const statuses = await store.readMany([...asked.values()], options);
        const allowed = new Set(namespaces.filter((_, at) => rights[at] === true));
        const found = new Map(
          statuses
            .filter((status, at) => exists[at] === true && allowed.has(status.address.namespace))
            .map((status) => [status.id, status]),
        );
        return versions.map((version) => (isVersionAddress(version) ? found.get(versionId(version)) : undefined));
      }),

    history: (call, version, query = {}) =>
      readOne(
        'registry.version.history',
        call,
        version,
        async (address) => {
          const exists = await present(context, address, call);
          const { record } = await store.read(address, optionsOf(call));
          return exists === undefined ? undefined : record.seq;
        },
        (total, address) => readHistoryPage(address, total, query, call),
      ),

    authorizeDownload: (call, version) =>
      readOne(
        'registry.version.download',
        call,
        version,
        (address) => withStatus(address, call, () => catalogue.details(address, optionsOf(call))),
        ({ status, found }) => {
          refuseRevoked(status);
          return { status, archive: found.archive };
        },
      ),

    openArchive(call, { namespace, name, provider, version }) {
      const operation = audited('registry.version.archive', { namespace, module: name, provider, version });
      return runAudited(operation, call, async (note) => {
        const address = versionAddress({ namespace, name, provider }, version);
        if (!isVersionAddress(address)) throw notFound(note, 'address_malformed');
        const status = await statusOf(address, call);
        // Before the archive is opened: an open file that nobody reads is a leak.
        refuseRevoked(status);
        const archive = await catalogue.archive(address, optionsOf(call));
        if (archive === undefined) throw notFound(note, 'missing');
        return { status, archive };
      });
    },
  };
}

/** Stock clients print the body of such an answer to the user (MODULE-7), so it says why. */
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

/** Status and history are one commit: a number without its entry is damage, and is said to be. */
function missingEntry(address: ModuleVersionAddress, seq: number | undefined): HistoryEntry {
  throw new RegistryError('internal', `the history of ${versionId(address)} has no entry ${seq}`);
}
