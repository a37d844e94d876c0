/** `PATCH …/:module_version`: deprecate, revert, revoke, unrevoke (REGAPI-1, REGAPI-3 to REGAPI-5). */
import type { CommandOutcome, DeprecateOutcome, Registry } from '@postern/core-registry';
import { commandOf, deprecationPointer, revocationPointer, type VersionCommand } from './command-document.js';
import { type Answer, type Exchange, type Handler, json, versionOf } from './exchange.js';
import { ProblemError, problemOfError } from './problem.js';
import { REFUSED_INPUT, readDocument } from './refused-document.js';
import { kebabDetails } from './wire-notices.js';

export function createPatchVersion(registry: Registry): Handler {
  return async (exchange) => {
    const { call } = exchange;
    const version = versionOf(exchange);
    const command = await readDocument(exchange, commandOf, () => registry.deprecate(call, version, REFUSED_INPUT));
    try {
      return await run(registry, exchange, command);
    } catch (error) {
      throw new ProblemError(
        problemOfError(error, command.name === 'revoke' ? revocationPointer : deprecationPointer),
        { cause: error },
      );
    }
  };
}

async function run(registry: Registry, exchange: Exchange, command: VersionCommand): Promise<Answer> {
  const { call } = exchange;
  const version = versionOf(exchange);
  switch (command.name) {
    case 'deprecate':
      return json(200, deprecatedDocument(await registry.deprecate(call, version, command.input)));
    case 'reinstate': {
      const { status } = await registry.reinstate(call, version);
      return json(200, { data: { type: 'module-versions', id: status.id } });
    }
    case 'revoke':
      return json(200, revocationDocument(await registry.revoke(call, version, command.input)));
    case 'unrevoke':
      return json(200, revocationDocument(await registry.unrevoke(call, version)));
  }
}

/** REGAPI-3, member by member. Details of ours are told in `meta`, and only where there are some. */
function deprecatedDocument({ status, deprecation }: DeprecateOutcome): unknown {
  const { id, link, reason } = deprecation;
  const details = kebabDetails(deprecation);
  return {
    data: {
      type: 'module-versions',
      id: status.id,
      relationships: { deprecation: { data: { id, type: 'deprecations' } } },
    },
    included: [{ type: 'deprecations', id, attributes: { link, reason } }],
    ...(details === undefined ? {} : { meta: { 'deprecation-details': details } }),
  };
}

/** The specification has no revocation: the type and shape that HCP answers with. */
function revocationDocument({ status }: CommandOutcome): unknown {
  const { id, address, revocation } = status;
  return {
    data: {
      type: 'registry-module-versions',
      id,
      attributes: {
        version: address.version,
        revocation:
          revocation === null ? null : { status: 'Revoked', message: revocation.reason, link: revocation.link },
      },
    },
  };
}
