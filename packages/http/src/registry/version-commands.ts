/** `PATCH …/:module_version`: deprecate, revert, revoke, unrevoke (REGAPI-1, REGAPI-3 to REGAPI-5). */
import type {
  ChangeOutcome,
  CommandOutcome,
  DeprecateOutcome,
  DeprecationInput,
  RangeInput,
  RangeOutcome,
  RevocationInput,
  VersionCommand,
} from '@postern/core-registry';
import { type Handler, json, moduleOf, versionOf } from './exchange.js';
import {
  attributesOf,
  fromDocument,
  invalid,
  type JsonObject,
  kebabDetails,
  member,
  readJsonApi,
  requireObject,
} from './representation.js';

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

/**
 * What a PATCH of a module version asks for (REGAPI-2, REG-5, REG-6, REGAPI-5 for `revocation`). Shape only:
 * texts, links and dates are core's to judge. Ours beside `deprecation` is the attribute `deprecation-details`.
 */
const ATTRIBUTES = '/data/attributes';
const DEPRECATION = `${ATTRIBUTES}/deprecation`;
const REVOCATION = `${ATTRIBUTES}/revocation`;
const DETAILS = `${ATTRIBUTES}/deprecation-details`;

/** @throws ProblemError 422 with the pointer of the member at fault. */
export function commandOf(document: unknown): VersionCommand {
  const attributes = attributesOf(document, 'module-versions');
  const revocation = member(attributes, 'revocation');
  if (revocation === undefined) return deprecationCommand(attributes);
  if (member(attributes, 'deprecation') !== undefined) {
    throw invalid(REVOCATION, 'data.attributes: change either deprecation or revocation, not both');
  }
  return revocationCommand(requireObject(revocation, REVOCATION));
}

function deprecationCommand(attributes: JsonObject): VersionCommand {
  const deprecation = requireObject(member(attributes, 'deprecation'), DEPRECATION);
  const status = member(deprecation, 'deprecated-status');
  if (status === 'Deprecated') return { name: 'deprecate', input: deprecationInputOf(attributes) };
  if (status !== 'Undeprecated') {
    throw invalid(`${DEPRECATION}/deprecated-status`, 'deprecated-status: must be Deprecated or Undeprecated');
  }
  refuseBeside(deprecation, ['reason', 'link'], DEPRECATION, 'Undeprecated');
  refuseBeside(attributes, ['deprecation-details'], ATTRIBUTES, 'Undeprecated');
  return { name: 'reinstate' };
}

/** The notice and its details, as the attributes of a PATCH and of a range both carry them. @throws ProblemError 422 */
function deprecationInputOf(attributes: JsonObject): DeprecationInput {
  const sent = member(attributes, 'deprecation');
  const deprecation = sent === undefined ? {} : requireObject(sent, DEPRECATION);
  const given = member(attributes, 'deprecation-details');
  const details = given === undefined ? {} : requireObject(given, DETAILS);
  return unchecked<DeprecationInput>({
    reason: member(deprecation, 'reason'),
    link: member(deprecation, 'link'),
    reasonClass: member(details, 'reason-class'),
    replacement: member(details, 'replacement'),
    sunset: member(details, 'sunset'),
  });
}

function revocationCommand(revocation: JsonObject): VersionCommand {
  const name = member(revocation, 'status') === undefined ? 'revocation-status' : 'status';
  const status = member(revocation, name);
  if (status === 'Revoked') {
    const input = { reason: member(revocation, 'message'), link: member(revocation, 'link') };
    return { name: 'revoke', input: unchecked<RevocationInput>(input) };
  }
  if (status !== 'Unrevoked') throw invalid(`${REVOCATION}/status`, 'status: must be Revoked or Unrevoked');
  refuseBeside(revocation, ['message', 'link'], REVOCATION, 'Unrevoked');
  return { name: 'unrevoke' };
}

function refuseBeside(object: JsonObject, names: readonly string[], pointer: string, status: string): void {
  const sent = names.find((name) => member(object, name) !== undefined);
  if (sent !== undefined) throw invalid(`${pointer}/${sent}`, `${sent}: cannot be sent with ${status}`);
}

/** The registry checks every member of an input before it uses it; until then the type is only what it should be. */
function unchecked<T>(input: { readonly [K in keyof T]?: unknown }): T {
  return input as T;
}

const POINTERS: Readonly<Record<string, string>> = {
  '/reason': `${DEPRECATION}/reason`,
  '/link': `${DEPRECATION}/link`,
  '/reasonClass': `${DETAILS}/reason-class`,
  '/replacement': `${DETAILS}/replacement`,
  '/replacement/module': `${DETAILS}/replacement/module`,
  '/replacement/version': `${DETAILS}/replacement/version`,
  '/sunset': `${DETAILS}/sunset`,
  '/range': `${ATTRIBUTES}/range`,
  '/includePrereleases': `${ATTRIBUTES}/include-prereleases`,
  '/dryRun': `${ATTRIBUTES}/dry-run`,
};

/** From a pointer into the input of a deprecation to one into the document. */
function deprecationPointer(pointer: string): string {
  return POINTERS[pointer] ?? ATTRIBUTES;
}

/** From a pointer into the input of a revocation to one into the document. */
export function revocationPointer(pointer: string): string {
  return pointer === '/reason' ? `${REVOCATION}/message` : `${REVOCATION}${pointer}`;
}

/**
 * `POST …/:module_provider/deprecations`: deprecates or reinstates every version that a constraint matches where `dry-run` is false,
 * and lists them otherwise (REG-15). A Postern extension: the document of a PATCH with `range`, `include-prereleases` and `dry-run`.
 */
export const deprecateRange: Handler = async (exchange) => {
  const read = async () => rangeInputOf(await readJsonApi(exchange));
  const outcome = exchange.session.deprecateRange(moduleOf(exchange), read);
  return json(200, rangeDocument(await fromDocument(outcome, deprecationPointer)));
};

function rangeInputOf(document: unknown): RangeInput {
  const attributes = attributesOf(document, 'deprecations');
  onlyMembers(
    attributes,
    ['range', 'include-prereleases', 'dry-run', 'deprecation', 'deprecation-details'],
    ATTRIBUTES,
  );
  const deprecation = member(attributes, 'deprecation');
  if (deprecation !== undefined) {
    onlyMembers(requireObject(deprecation, DEPRECATION), ['deprecated-status', 'reason', 'link'], DEPRECATION);
  }
  const details = member(attributes, 'deprecation-details');
  if (details !== undefined) {
    onlyMembers(requireObject(details, DETAILS), ['reason-class', 'replacement', 'sunset'], DETAILS);
  }
  const dryRun = member(attributes, 'dry-run');
  return unchecked<RangeInput>({
    ...deprecationInputOf(attributes),
    range: member(attributes, 'range'),
    includePrereleases: member(attributes, 'include-prereleases'),
    reinstate: isReinstatement(attributes),
    dryRun: dryRun === undefined ? true : dryRun,
  });
}

/** @throws ProblemError 422 */
function isReinstatement(attributes: JsonObject): boolean {
  const sent = member(attributes, 'deprecation');
  const deprecation = sent === undefined ? {} : requireObject(sent, DEPRECATION);
  const status = member(deprecation, 'deprecated-status');
  if (status === undefined || status === 'Deprecated') return false;
  if (status !== 'Undeprecated') {
    throw invalid(`${DEPRECATION}/deprecated-status`, 'deprecated-status: must be Deprecated or Undeprecated');
  }
  refuseBeside(deprecation, ['reason', 'link'], DEPRECATION, 'Undeprecated');
  refuseBeside(attributes, ['deprecation-details'], ATTRIBUTES, 'Undeprecated');
  return true;
}

/** Many versions are changed at once: a member that is misspelt must not be ignored. @throws ProblemError 422 */
function onlyMembers(object: JsonObject, names: readonly string[], pointer: string): void {
  const unknown = Object.keys(object).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const shown = JSON.stringify(unknown.slice(0, 100));
  throw invalid(pointer, `unknown member ${shown}; known are ${names.join(', ')}`);
}

/** One resource a version, oldest first; `meta.complete` is false where a later version failed after others were changed. */
function rangeDocument({ module, range, dryRun, complete, changes }: RangeOutcome): unknown {
  const { namespace, name, provider } = module;
  return {
    data: changes.map(({ version, ...change }) => ({
      type: 'module-versions',
      id: `${namespace}/${name}/${provider}/${version}`,
      attributes: { version, ...change },
    })),
    meta: { range, 'dry-run': dryRun, complete, total: changes.length },
  };
}
