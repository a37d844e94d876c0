/** The registry, wired: ports and options in, one object out. Nothing is decided here. */
import { createContext } from './context.js';
import { createApplyAndTell } from './lifecycle/apply-and-tell.js';
import { createCommands } from './lifecycle/commands.js';
import { createRangeCommand } from './lifecycle/range-command.js';
import { createModuleReads } from './modules/module-reads.js';
import { createPublishing } from './modules/publishing.js';
import { createVersionReads } from './modules/version-reads.js';
import { OPERATIONS } from './operations.js';
import type { RegistryOptions, RegistryPorts } from './options.js';
import type { Registry } from './registry.js';

/**
 * Makes the registry. Nothing is read or written before the first call; the ports stay the host's to close.
 *
 * @throws TypeError where an option cannot be meant.
 * @example
 * ```ts
 * const registry = createRegistry({ storage, clock, catalogue, authorizer, audit });
 * const version = { namespace: 'acme', name: 'network', provider: 'aws', version: '1.0.0' };
 * await registry.deprecate({ token, requestId }, version, { reason: 'Security groups were open by default.' });
 * ```
 */
export function createRegistry(ports: RegistryPorts, options: RegistryOptions = {}): Registry {
  const context = createContext(ports, options);
  const apply = createApplyAndTell(context);
  return {
    operations: OPERATIONS,
    ...createCommands(context, apply),
    ...createRangeCommand(context, apply),
    ...createModuleReads(context),
    ...createVersionReads(context),
    ...createPublishing(context),
  };
}
