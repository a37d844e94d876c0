/**
 * The commands upon one version: right, version, input, transition; in that order (REG-10). Read, decide, commit if nothing changed
 * meanwhile; else read and decide again, bounded. Status and history change in one commit or not at all (REG-7). Where a commit's
 * answer was lost, the history in storage shows whether it applied.
 *
 * Presence of the version is checked after its status was read and before the commit that rests on that read. A deletion
 * removes the version first and writes the status after, so either the check sees it or the commit conflicts: a notice is
 * never written to a deleted version, where it would stick to the next one published under that number.
 */
import { MAX_ATTEMPTS } from '@postern/kernel';
import {
  type CallOptions,
  isConflict,
  isStorageError,
  type ModuleVersionAddress,
  type RegistryCaller,
  type RegistryEvent,
} from '@postern/ports';
import { versionId } from '../addresses/address.js';
import type { AuditedCall, Trail } from '../audit/run-audited.js';
import type { RegistryContext } from '../context.js';
import { RegistryError } from '../errors.js';
import type { InputSource, VersionCommand } from '../input/input.js';
import { deprecationInput, parseInput, readInput, revocationInput } from '../input/schemas.js';
import type { OperationId } from '../operations.js';
import type { CommandOutcome, DeprecateOutcome, HistoryEntry } from '../results.js';
import { notFound, type Operations, present, type SessionRunner } from '../session.js';
import {
  type Change,
  type StatusRecord,
  type StatusStore,
  type StoredStatus,
  toStatus,
} from '../store/status-store.js';
import { type CheckedCommand, type CommandOrigin, decideCommand } from './decide-command.js';
import { type Command, REFUSALS } from './transitions.js';

/** Commits without an answer in one call before it gives up. */
const MAX_UNKNOWN = 3;

export interface Applied {
  /** As read where nothing changed, as written where something did. */
  readonly record: StoredStatus['record'];
  /** What was added to the history; undefined where nothing changed. */
  readonly entry: HistoryEntry | undefined;
}

/**
 * One command upon one version, in turn; then the event sink is called (REG-9). A sink that fails is reported and undoes
 * nothing.
 *
 * @throws RegistryError as `applyCommand`, and `not_found` where the version was deleted meanwhile.
 */
export function applyInTurn(
  context: RegistryContext,
  call: AuditedCall,
  address: ModuleVersionAddress,
  command: CheckedCommand,
  caller: RegistryCaller,
  { annotate, commit }: Pick<Trail, 'annotate' | 'commit'>,
): Promise<Applied> {
  const { ports, store, turns } = context;
  const { signal } = call;
  return turns.run(versionId(address), async () => {
    const requirePresent = async () => {
      if (!(await ports.catalogue.hasVersion(address, { signal }))) throw notFound(annotate, 'missing');
    };
    const origin = originOf(context, call, caller.name);
    const applied = await applyCommand(store, address, command, origin, requirePresent, commit, { signal });
    if (applied.entry !== undefined) await publishEvent(context, address, applied.entry);
    return applied;
  });
}

/** What the history keeps of names that others chose. */
const MAX_NAME_CHARACTERS = 256;

/** Who changes something, in which request, at what time: as the history records it. */
export function originOf({ ports }: RegistryContext, call: AuditedCall, actor: string): CommandOrigin {
  return {
    actor: actor.slice(0, MAX_NAME_CHARACTERS),
    requestId: call.requestId.slice(0, MAX_NAME_CHARACTERS),
    time: ports.clock.now(),
  };
}

async function publishEvent(
  { ports, onError }: RegistryContext,
  version: ModuleVersionAddress,
  { time, from, to, actor, reason }: HistoryEntry,
): Promise<void> {
  const event: RegistryEvent = { time, version, from, to, actor, reason };
  try {
    await ports.events?.publish(event);
  } catch (error) {
    try {
      onError(error, event);
    } catch {
      // The transition is committed: a host whose error handler throws must not make it look refused.
    }
  }
}

/**
 * @param requirePresent throws where the version is missing, or where the catalogue could not tell.
 * @throws RegistryError `revoke_not_deprecated`, `reinstate_revoked`, `storage_contended`, `storage_outcome_unknown`.
 * @throws StorageError where storage failed and nothing was changed.
 */
export async function applyCommand(
  store: StatusStore,
  address: ModuleVersionAddress,
  command: CheckedCommand,
  origin: CommandOrigin,
  requirePresent: () => Promise<void>,
  commit: Trail['commit'],
  options?: CallOptions,
): Promise<Applied> {
  /** Sent without an answer. */
  let unsure: Change | undefined;
  let lost = 0;
  try {
    for (let tries = 0; tries < MAX_ATTEMPTS; tries += 1) {
      const read = await store.read(address, options);
      if (unsure !== undefined && read.record.seq !== unsure.entry.seq - 1) {
        const outcome = await outcomeOfCommit(store, address, unsure, options);
        if (outcome === 'applied') return appliedOf(unsure);
        // A stale read says nothing: deciding on it would forget what was sent.
        if (outcome === 'unknown') continue;
        unsure = undefined;
      }
      await requirePresent();
      const decision = decideCommand(address, read.record, command, origin);
      if (decision.kind === 'stay') return { record: read.record, entry: undefined };
      if (decision.kind === 'refuse') throw new RegistryError(decision.code, REFUSALS[decision.code]);
      try {
        const { record, entry } = decision.change;
        const facts = { details: { from: entry.from, to: record.state, changed: 'true' } };
        await commit(store.change(address, read, decision.change), { facts });
        return appliedOf(decision.change);
      } catch (error) {
        if (isConflict(error)) continue;
        if (!isStorageError(error) || error.code !== 'outcome_unknown') throw error;
        unsure = decision.change;
        lost += 1;
        if (lost >= MAX_UNKNOWN) throw error;
      }
    }
  } catch (error) {
    throw unsure === undefined ? error : outcomeUnknown(error);
  }
  if (unsure !== undefined) throw outcomeUnknown(undefined);
  throw new RegistryError('storage_contended', 'too many concurrent changes of the same version; try again', {
    retryAfterSeconds: 1,
  });
}

function appliedOf({ record, entry }: Change): { readonly record: StatusRecord; readonly entry: HistoryEntry } {
  return { record, entry };
}

/**
 * Whether a commit without an answer applied: the entry with its number is either this change or another one, which rules
 * this one out. Two requests with the same actor, id, command and text in the same millisecond could take each other's
 * entry for their own: what they asked for stands either way.
 */
async function outcomeOfCommit(
  store: StatusStore,
  address: ModuleVersionAddress,
  { entry }: Change,
  options: CallOptions | undefined,
): Promise<'applied' | 'superseded' | 'unknown'> {
  const [stored] = await store.readHistory(address, [entry.seq], options);
  if (stored === undefined) return 'unknown';
  return JSON.stringify(sorted(stored)) === JSON.stringify(sorted(entry)) ? 'applied' : 'superseded';
}

function sorted(entry: HistoryEntry): unknown {
  return Object.entries(entry).sort(([left], [right]) => (left < right ? -1 : 1));
}

function outcomeUnknown(cause: unknown): RegistryError {
  return new RegistryError(
    'storage_outcome_unknown',
    'the storage did not answer; the change may or may not have happened; repeating the request is safe',
    { cause, retryAfterSeconds: 1 },
  );
}

const IDS: Readonly<Record<Command, OperationId>> = {
  deprecate: 'registry.version.deprecate',
  reinstate: 'registry.version.reinstate',
  revoke: 'registry.version.revoke',
  unrevoke: 'registry.version.unrevoke',
};

export function createCommands(
  context: RegistryContext,
): Operations<'change' | 'deprecate' | 'reinstate' | 'revoke' | 'unrevoke'> {
  /** @param id of the audit event until the command is read. */
  function run<T>(
    session: SessionRunner,
    id: OperationId,
    version: ModuleVersionAddress,
    source: InputSource<VersionCommand>,
    answer: (outcome: CommandOutcome, command: Command) => T,
  ): Promise<T> {
    const lookUp = (address: ModuleVersionAddress) => present(context, address, session.options);
    return session.onVersion(id, version, lookUp, async ({ address, caller, annotate, commit, read }) => {
      const command = await read(source);
      annotate({ operation: IDS[command.name] });
      const { record, entry } = await applyInTurn(context, session.call, address, check(command), caller, {
        annotate,
        commit,
      });
      const changed = entry !== undefined;
      annotate({ details: { from: entry?.from ?? record.state, to: record.state, changed: String(changed) } });
      return answer({ status: toStatus(address, record), changed }, command.name);
    });
  }

  return {
    change: (session, version, source) =>
      run(session, IDS.deprecate, version, source, (outcome, command) =>
        command === 'deprecate' ? { command, ...withDeprecation(outcome) } : { command, ...outcome },
      ),
    deprecate: (session, version, input) =>
      run(
        session,
        IDS.deprecate,
        version,
        async () => ({ name: 'deprecate', input: await readInput(input) }),
        withDeprecation,
      ),
    reinstate: (session, version) => run(session, IDS.reinstate, version, { name: 'reinstate' }, unchanged),
    revoke: (session, version, input) =>
      run(session, IDS.revoke, version, async () => ({ name: 'revoke', input: await readInput(input) }), unchanged),
    unrevoke: (session, version) => run(session, IDS.unrevoke, version, { name: 'unrevoke' }, unchanged),
  };
}

const unchanged = (outcome: CommandOutcome) => outcome;

function withDeprecation(outcome: CommandOutcome): DeprecateOutcome {
  const { deprecation } = outcome.status;
  if (deprecation === null) throw new RegistryError('internal', 'a deprecated version has no deprecation');
  return { ...outcome, deprecation };
}

function check(command: VersionCommand): CheckedCommand {
  switch (command.name) {
    case 'deprecate':
      return { name: command.name, notice: parseInput(deprecationInput, command.input) };
    case 'revoke':
      return { name: command.name, notice: parseInput(revocationInput, command.input) };
    default:
      return command;
  }
}
