/** Versions come and go: published whole by upload, deleted whole, by those who may manage (PUBLISH-1, PUBLISH-3). */
import { isModuleArchiveError, type ModulePublisher, type ModuleVersionAddress } from '@postern/ports';
import { identify, notFound, optionsOf, requireAccess } from '../access.js';
import { isModuleAddress, isVersionAddress, versionAddress, versionId } from '../addresses/address.js';
import type { Note } from '../audit/run-audited.js';
import { audited, type RegistryContext } from '../context.js';
import { RegistryError, type RegistryErrorOptions } from '../errors.js';
import { MAX_NAME_CHARACTERS } from '../lifecycle/apply-and-tell.js';
import { present } from '../lifecycle/commands.js';
import type { CommandOrigin } from '../lifecycle/decide-command.js';
import type { Registry } from '../registry.js';
import type { RegistryCall } from '../results.js';
import { clearStatus } from './clear-status.js';
import { holdTurnAtEnd } from './hold-turn-at-end.js';

export function createPublishing(context: RegistryContext): Pick<Registry, 'publish' | 'delete'> {
  const { ports, store, runAudited, runInTurn } = context;

  function requirePublisher(note: Note): ModulePublisher {
    if (ports.publisher !== undefined) return ports.publisher;
    throw notFound(note, 'not_publishable');
  }

  function clear(
    address: ModuleVersionAddress,
    actor: string,
    call: Omit<RegistryCall, 'token'>,
    leavesRecord: boolean,
  ) {
    const origin: CommandOrigin = {
      actor: actor.slice(0, MAX_NAME_CHARACTERS),
      requestId: call.requestId.slice(0, MAX_NAME_CHARACTERS),
      time: ports.clock.now(),
    };
    return clearStatus(store, address, origin, leavesRecord, optionsOf(call));
  }

  /** A deletion that ended half-way left the status of bytes that are gone. */
  async function clearLeftover(address: ModuleVersionAddress, actor: string, call: RegistryCall): Promise<void> {
    if (isVersionAddress(address) && (await present(context, address, call)) === undefined) {
      await clear(address, actor, call, false);
    }
  }

  return {
    publish(call, { version: address, ...publication }) {
      const { namespace, name, provider, version } = address;
      const operation = audited('registry.version.publish', { namespace, module: name, provider, version });
      return runAudited(operation, call, async (note) => {
        const caller = await identify(ports.authorizer, call, note);
        if (!isModuleAddress(address)) throw notFound(note, 'address_malformed');
        const request = { caller, namespace, action: 'manage' } as const;
        await requireAccess(ports.authorizer, request, call, note, async () => true);
        const publisher = requirePublisher(note);
        const takeTurn = (task: () => Promise<void>) => runInTurn(versionId(address), task);
        const prepare = () => clearLeftover(address, caller.name, call);
        // Now for a publisher that needs no content. With one that does it counts at the end: an upload takes its time, in
        // which the version may be deleted; from then until the new one is visible nobody deletes it or speaks of it.
        await takeTurn(prepare);
        const { content, release } = holdTurnAtEnd(publication.content, takeTurn, prepare);
        const whole = { ...publication, content, version: versionAddress(address, version), owner: caller.name };
        try {
          const details = await publisher.publish(whole, optionsOf(call));
          note({ details: { digest: details.archive.digest } });
          return details;
        } catch (error) {
          throw refusalOf(error);
        } finally {
          release();
        }
      });
    },

    delete(call, address) {
      const { namespace, name, provider, version } = address;
      const operation = audited('registry.version.delete', { namespace, module: name, provider, version });
      return runAudited(operation, call, async (note) => {
        const caller = await identify(ports.authorizer, call, note);
        if (!isVersionAddress(address)) throw notFound(note, 'address_malformed');
        const request = { caller, namespace, action: 'manage' } as const;
        await requireAccess(ports.authorizer, request, call, note, () => present(context, address, call));
        const publisher = requirePublisher(note);
        await runInTurn(versionId(address), async () => {
          // First the bytes: a version that is still there must not lose its notice, least of all its block.
          const wasThere = await publisher.delete(versionAddress(address, version), optionsOf(call));
          const entry = await clear(address, caller.name, call, wasThere);
          note({ details: { from: entry?.from ?? 'active' } });
        });
      });
    },
  };
}

/** What the publisher says of an archive in the registry's codes; its own code is kept in the details. */
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
      return new RegistryError('version_exists', message, options);
    case 'archive_too_large':
      return new RegistryError('archive_too_large', message, options);
    default:
      return new RegistryError('archive_refused', message, options);
  }
}
