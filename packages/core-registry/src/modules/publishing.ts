/** Versions come and go: published whole by upload, deleted whole, by those who may manage (PUBLISH-1, PUBLISH-3). */
import { isModuleArchiveError, type ModulePublisher, type ModuleVersionAddress } from '@postern/ports';
import { isModuleAddress, isVersionAddress, versionAddress, versionId } from '../addresses/address.js';
import type { Annotate, Trail } from '../audit/run-audited.js';
import type { RegistryContext } from '../context.js';
import { RegistryError, type RegistryErrorOptions } from '../errors.js';
import { originOf } from '../lifecycle/apply-command.js';
import { notFound, type Operations, present, type SessionRunner } from '../session.js';
import { type Clearing, clearStatus, decideClearing } from './clear-status.js';
import { holdTurnAtEnd } from './hold-turn-at-end.js';

export function createPublishing(context: RegistryContext): Operations<'publish' | 'delete'> {
  const { ports, store, turns } = context;

  function requirePublisher(annotate: Annotate): ModulePublisher {
    if (ports.publisher !== undefined) return ports.publisher;
    throw notFound(annotate, 'not_publishable');
  }

  /** Where not, a version cannot be committed with its event: what begins is recorded before it happens. */
  const sharesStorage = ({ storage }: ModulePublisher) => storage === ports.storage;

  const clearing = ({ call, options }: SessionRunner, address: ModuleVersionAddress, actor: string, leaves: boolean) =>
    decideClearing(store, address, originOf(context, call, actor), leaves, options);

  /** A deletion by two commits that was interrupted leaves the status of bytes that are gone. */
  async function clearLeftover(
    session: SessionRunner,
    address: ModuleVersionAddress,
    actor: string,
    commit: Trail['commit'],
  ): Promise<void> {
    if (!isVersionAddress(address) || (await present(context, address, session.options)) !== undefined) return;
    await clearStatus(
      () => clearing(session, address, actor, false),
      ({ operations, entry }) =>
        entry === undefined
          ? ports.storage.commit(operations)
          : commit(operations, { intent: true, facts: { details: { from: entry.from } } }),
    );
  }

  return {
    publish(session, { namespace, name, provider, version }, source) {
      const asked = { namespace, module: name, provider, version };
      return session.run('registry.version.publish', asked, async (request) => {
        const { caller, annotate, commit } = request;
        const address = versionAddress({ namespace, name, provider }, version);
        if (!isModuleAddress(address)) throw notFound(annotate, 'address_malformed');
        if (!(await request.mayManage(namespace))) throw notFound(annotate, 'not_allowed');
        const publisher = requirePublisher(annotate);
        const publication = await request.read(source);
        const isOneCommit = sharesStorage(publisher);
        if (isOneCommit) await request.requireRoom();
        else await commit([], { intent: true });
        const takeTurn = (task: () => Promise<void>) => turns.run(versionId(address), task);
        const prepare = () => clearLeftover(session, address, caller.name, commit);
        // Here for a publisher that reads no content. For one that does, the second time counts, at the content's end: the
        // version may be deleted during the upload, and from then until it is visible nothing else may touch its status.
        await takeTurn(prepare);
        const atEnd = () => request.judgeAgain().then(prepare);
        const { content, release } = holdTurnAtEnd(publication.content, takeTurn, atEnd);
        try {
          const whole = { ...publication, content, version: address, owner: caller.name };
          const details = await publisher.publish(whole, {
            ...session.options,
            ...(isOneCommit && {
              commit: (operations, { digest }) => commit(operations, { facts: { details: { digest } } }),
            }),
          });
          annotate({ details: { digest: details.archive.digest } });
          return details;
        } catch (error) {
          throw refusalOf(error);
        } finally {
          release();
        }
      });
    },

    delete: (session, version) =>
      session.onVersion(
        'registry.version.delete',
        version,
        (address) => present(context, address, session.options),
        async ({ address, caller, annotate, commit }) => {
          const publisher = requirePublisher(annotate);
          const isOneCommit = sharesStorage(publisher);
          if (!isOneCommit) await commit([], { intent: true });
          const fromOf = ({ entry }: Clearing) => ({ details: { from: entry?.from ?? 'active' } });
          await turns.run(versionId(address), async () => {
            // In one commit, or the bytes first: a version that can still be downloaded must not lose its notice, least of
            // all its block.
            const wasThere = await publisher.delete(address, {
              ...session.options,
              ...(isOneCommit && {
                async commit(operations) {
                  const cleared = await clearing(session, address, caller.name, true);
                  return commit([...operations, ...cleared.operations], { facts: fromOf(cleared) });
                },
              }),
            });
            if (isOneCommit) return;
            annotate({ details: { from: 'active' } });
            await clearStatus(
              () => clearing(session, address, caller.name, wasThere),
              (cleared) => {
                annotate(fromOf(cleared));
                return commit(cleared.operations);
              },
            );
          });
        },
      ),
  };
}

/** A publisher's refusal in the registry's codes; its own code is in the details. */
function refusalOf(error: unknown): unknown {
  if (!isModuleArchiveError(error)) return error;
  const { code, message, place } = error;
  const details = {
    problem: code,
    ...(place === undefined ? {} : { path: place.path }),
    ...(place?.line === undefined ? {} : { line: String(place.line) }),
  };
  const options: RegistryErrorOptions = { details, cause: error };
  switch (code) {
    case 'version_exists':
    case 'quota_exceeded':
    case 'archive_too_large':
      return new RegistryError(code, message, options);
    default:
      return new RegistryError('archive_refused', message, options);
  }
}
