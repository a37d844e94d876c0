/** The registry, wired: ports and options in, one object out. A missing or misshapen port is a TypeError here. */

import { AUDIT_SHAPE, CLOCK_SHAPE, type PortShape, requirePorts, STORAGE_SHAPE } from '@postern/kernel';
import { createContext, type RegistryOptions, type RegistryPorts } from './context.js';
import { createCommands } from './lifecycle/apply-command.js';
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
 * @throws TypeError for an invalid option, and where a port is missing or lacks a method.
 * @example
 * ```ts
 * const registry = createRegistry({ storage, clock, catalogue, authorizer, audit });
 * const version = { namespace: 'acme', name: 'network', provider: 'aws', version: '1.0.0' };
 * const session = registry.open({ token, requestId });
 * await session.deprecate(version, { reason: 'Security groups were open by default.' });
 * ```
 */
export function createRegistry(ports: RegistryPorts, options: RegistryOptions = {}): Registry {
  checkPorts(ports);
  const context = createContext(ports, options);
  const commands = createCommands(context);
  const ranges = createRangeCommand(context);
  const modules = createModuleReads(context);
  const versions = createVersionReads(context);
  const publishing = createPublishing(context);
  return {
    operations: OPERATIONS,
    openArchive: createOpenArchive(context),
    feedAudit: () => context.outbox.feed(),
    async close() {
      // One that was given is closed by who made it.
      if (context.outbox !== ports.audit) await context.outbox.close();
    },
    open(call) {
      const session = createSessionRunner(context, call);
      return {
        access: (namespace) => modules.access(session, namespace),
        change: (version, command) => commands.change(session, version, command),
        deprecate: (version, input) => commands.deprecate(session, version, input),
        reinstate: (version) => commands.reinstate(session, version),
        revoke: (version, input) => commands.revoke(session, version, input),
        unrevoke: (version) => commands.unrevoke(session, version),
        deprecateRange: (module, input) => ranges.deprecateRange(session, module, input),
        publish: (version, publication) => publishing.publish(session, version, publication),
        delete: (version) => publishing.delete(session, version),
        listModules: (query) => modules.listModules(session, query),
        latestByProvider: (module) => modules.latestByProvider(session, module),
        latest: (module) => modules.latest(session, module),
        listVersions: (module) => modules.listVersions(session, module),
        readVersion: (version) => versions.readVersion(session, version),
        readVersionWithHistory: (version, query) => versions.readVersionWithHistory(session, version, query),
        status: (version) => versions.status(session, version),
        statuses: (input) => versions.statuses(session, input),
        history: (version, query) => versions.history(session, version, query),
        authorizeDownload: (version) => versions.authorizeDownload(session, version),
      };
    },
  };
}

const PUBLISHER = 'an object with publish(…) and delete(…), such as createHostedCatalogue(…) of @postern/catalogue';

const SHAPES: readonly PortShape[] = [
  STORAGE_SHAPE,
  { ...CLOCK_SHAPE, pass: 'an object with now(), such as systemClock of @postern/ports', optional: false },
  {
    port: 'catalogue',
    methods: ['listModules', 'versions', 'hasVersion', 'details', 'archive'],
    pass: 'createHostedCatalogue(…) of @postern/catalogue or your own ModuleCatalogue',
  },
  { port: 'publisher', methods: ['publish', 'delete'], pass: PUBLISHER, optional: true },
  {
    port: 'authorizer',
    methods: ['identify', 'isAllowed', 'readableNamespaces'],
    pass: 'an object with identify(token), isAllowed(request) and readableNamespaces(caller)',
  },
  AUDIT_SHAPE,
  { port: 'events', methods: ['publish'], pass: 'an object with publish(event)', optional: true },
];

/** @throws TypeError that names the first missing or misshapen port. */
function checkPorts(ports: RegistryPorts): void {
  requirePorts('createRegistry', ports, SHAPES);
}
