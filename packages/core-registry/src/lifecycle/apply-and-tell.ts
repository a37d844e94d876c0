/** One command upon one version, in turn; once it is committed the event sink is told (REG-9: events are ours). */
import type { ModuleVersionAddress, RegistryCaller, RegistryEvent } from '@postern/ports';
import { notFound, optionsOf } from '../access.js';
import { versionAddress, versionId } from '../addresses/address.js';
import type { AuditedCall, Note } from '../audit/run-audited.js';
import type { RegistryContext } from '../context.js';
import type { HistoryEntry } from '../results.js';
import { type Applied, applyCommand } from './apply-command.js';
import type { CheckedCommand, CommandOrigin } from './decide-command.js';

/** What the history keeps of names that others made. */
export const MAX_NAME_CHARACTERS = 256;

export type ApplyAndTell = (
  address: ModuleVersionAddress,
  command: CheckedCommand,
  caller: RegistryCaller,
  call: AuditedCall,
  note: Note,
) => Promise<Applied>;

/** Rejects like `applyCommand`, and with `not_found` where the version is deleted meanwhile. A sink that fails is reported and undoes nothing. */
export function createApplyAndTell({ ports, store, runInTurn, onError }: RegistryContext): ApplyAndTell {
  async function tell(address: ModuleVersionAddress, entry: HistoryEntry): Promise<void> {
    const event: RegistryEvent = {
      time: entry.time,
      version: versionAddress(address, address.version),
      from: entry.from,
      to: entry.to,
      actor: entry.actor,
      reason: entry.reason,
    };
    try {
      await ports.events?.publish(event);
    } catch (error) {
      report(error, event);
    }
  }

  function report(error: unknown, event: RegistryEvent): void {
    try {
      onError(error, event);
    } catch {
      // The transition is committed: an embedder's mistake in its own report must not make it look refused.
    }
  }

  return (address, command, caller, call, note) =>
    runInTurn(versionId(address), async () => {
      const origin: CommandOrigin = {
        actor: caller.name.slice(0, MAX_NAME_CHARACTERS),
        requestId: call.requestId.slice(0, MAX_NAME_CHARACTERS),
        time: ports.clock.now(),
      };
      const requirePresent = async () => {
        if (!(await ports.catalogue.hasVersion(address, optionsOf(call)))) throw notFound(note, 'missing');
      };
      const applied = await applyCommand(store, address, command, origin, requirePresent, optionsOf(call));
      if (applied.entry !== undefined) await tell(address, applied.entry);
      return applied;
    });
}
