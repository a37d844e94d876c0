/** The four commands upon one version: right, version, input, transition; in that order (REG-10). */
import type { ModuleVersionAddress } from '@postern/ports';
import type { RegistryContext } from '../context.js';
import { RegistryError } from '../errors.js';
import type { InputSource, VersionCommand } from '../input/input.js';
import { deprecationInput, parseInput, readInput, revocationInput } from '../input/schemas.js';
import type { OperationId } from '../operations.js';
import type { CommandOutcome, DeprecateOutcome } from '../results.js';
import { type Operations, present, type SessionRunner } from '../session.js';
import { toStatus } from '../store/status-store.js';
import { applyInTurn } from './apply-command.js';
import type { CheckedCommand } from './decide-command.js';
import type { Command } from './transitions.js';

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
    return session.onVersion(id, version, lookUp, async ({ address, caller, annotate, commit }) => {
      const command = await readInput(source);
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
