/** `PATCH …/:module_version`: deprecate, revert, revoke, unrevoke (REGAPI-1, REGAPI-3 to REGAPI-5). */
import type { ChangeOutcome, CommandOutcome, DeprecateOutcome } from '@postern/core-registry';
import { commandOf, deprecationPointer, revocationPointer } from './command-document.js';
import { type Handler, json, versionOf } from './exchange.js';
import { readJsonApi } from './json-document.js';
import { fromDocument } from './problem.js';
import { kebabDetails } from './wire-notices.js';

export const patchVersion: Handler = async (exchange) => {
  let pointerOf = deprecationPointer;
  const read = async () => {
    const command = commandOf(await readJsonApi(exchange));
    if (command.name === 'revoke') pointerOf = revocationPointer;
    return command;
  };
  const changed = exchange.session.change(versionOf(exchange), read);
  return json(200, changeDocument(await fromDocument(changed, (pointer) => pointerOf(pointer))));
};

function changeDocument(outcome: ChangeOutcome): unknown {
  switch (outcome.command) {
    case 'deprecate':
      return deprecatedDocument(outcome);
    case 'reinstate':
      return { data: { type: 'module-versions', id: outcome.status.id } };
    default:
      return revocationDocument(outcome);
  }
}

/** REGAPI-3, member by member. Our own details stand in `meta`, only where some were given. */
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
