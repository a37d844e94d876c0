/** The four commands upon one version: right, version, input, transition; in that order (REG-10). */
import type { ModuleVersionAddress } from '@postern/ports';
import { identify, notFound, optionsOf, requireAccess } from '../access.js';
import { isVersionAddress, versionAddress } from '../addresses/address.js';
import { audited, type RegistryContext } from '../context.js';
import { RegistryError } from '../errors.js';
import { parseInput } from '../input/parse-input.js';
import { deprecationInput, revocationInput } from '../input/schemas.js';
import type { OperationId } from '../operations.js';
import type { Registry } from '../registry.js';
import type { CommandOutcome, RegistryCall } from '../results.js';
import { toStatus } from '../store/to-status.js';
import type { ApplyAndTell } from './apply-and-tell.js';
import type { CheckedCommand } from './decide-command.js';

export function createCommands(
  context: RegistryContext,
  apply: ApplyAndTell,
): Pick<Registry, 'deprecate' | 'reinstate' | 'revoke' | 'unrevoke'> {
  const { ports, runAudited } = context;

  /** @param parse checks the input, once it is known that the caller may say anything at all here. */
  function run(
    id: OperationId,
    call: RegistryCall,
    address: ModuleVersionAddress,
    parse: () => CheckedCommand,
  ): Promise<CommandOutcome> {
    const { namespace, name, provider, version } = address;
    return runAudited(audited(id, { namespace, module: name, provider, version }), call, async (note) => {
      const caller = await identify(ports.authorizer, call, note);
      if (!isVersionAddress(address)) throw notFound(note, 'address_malformed');
      await requireAccess(ports.authorizer, { caller, namespace, action: 'manage' }, call, note, () =>
        present(context, address, call),
      );
      const command = parse();
      const { record, entry } = await apply(address, command, caller, call, note);
      note({ details: { from: entry?.from ?? record.state, to: record.state, changed: String(entry !== undefined) } });
      return { status: toStatus(versionAddress(address, version), record), changed: entry !== undefined };
    });
  }

  return {
    async deprecate(call, version, input) {
      const outcome = await run('registry.version.deprecate', call, version, () => ({
        name: 'deprecate',
        notice: parseInput(deprecationInput, input),
      }));
      const { deprecation } = outcome.status;
      if (deprecation === null) throw new RegistryError('internal', 'a deprecated version has no deprecation');
      return { ...outcome, deprecation };
    },
    reinstate: (call, version) => run('registry.version.reinstate', call, version, () => ({ name: 'reinstate' })),
    revoke: (call, version, input) =>
      run('registry.version.revoke', call, version, () => ({
        name: 'revoke',
        notice: parseInput(revocationInput, input),
      })),
    unrevoke: (call, version) => run('registry.version.unrevoke', call, version, () => ({ name: 'unrevoke' })),
  };
}

/** `true`, or undefined where the catalogue has no such version. */
export async function present(
  { ports }: RegistryContext,
  address: ModuleVersionAddress,
  call: Pick<RegistryCall, 'signal'>,
): Promise<true | undefined> {
  return (await ports.catalogue.hasVersion(address, optionsOf(call))) ? true : undefined;
}
