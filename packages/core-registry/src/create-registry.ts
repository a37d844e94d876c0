/** The registry, wired: ports and options in, one object out. */
import { createContext, type RegistryOptions, type RegistryPorts } from './context.js';
import { createCommands } from './lifecycle/commands.js';
import { createRangeCommand } from './lifecycle/range-command.js';
import { createModuleReads } from './modules/module-reads.js';
import { createPublishing } from './modules/publishing.js';
import { createOpenArchive, createVersionReads } from './modules/version-reads.js';
import { OPERATIONS } from './operations.js';
import type { Registry } from './registry.js';
import { createSessionRunner } from './session.js';

/**
 * Makes the registry. Nothing is read or written before the first call; the host opens and closes the ports.
 *
 * @throws TypeError for an invalid option.
 * @example
 * ```ts
 * const registry = createRegistry({ storage, clock, catalogue, authorizer, audit });
 * const version = { namespace: 'acme', name: 'network', provider: 'aws', version: '1.0.0' };
 * const session = registry.open({ token, requestId });
 * await session.deprecate(version, { reason: 'Security groups were open by default.' });
 * ```
 */
export function createRegistry(ports: RegistryPorts, options: RegistryOptions = {}): Registry {
  const context = createContext(ports, options);
  return {
    operations: OPERATIONS,
    openArchive: createOpenArchive(context),
    open(call) {
      const session = createSessionRunner(context, call);
      return {
        ...createCommands(context, session),
        ...createRangeCommand(context, session),
        ...createModuleReads(context, session),
        ...createVersionReads(context, session),
        ...createPublishing(context, session),
      };
    },
  };
}
