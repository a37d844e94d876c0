/**
 * Deprecates or reinstates every version that a constraint matches (REG-12, REG-15). Each version is a commit of its own, oldest first, and the answer
 * says version by version what was done. A dry run only lists them.
 */
import type { ModuleAddress, RegistryCaller } from '@postern/ports';
import { versionAddress } from '../addresses/address.js';
import type { RegistryContext } from '../context.js';
import { RegistryError } from '../errors.js';
import { invalidInput, parseInput, rangeInput } from '../input/schemas.js';
import { loadVersionList } from '../modules/version-list.js';
import type { RangeChange, RangeOutcome, RegistryCall, VersionListing } from '../results.js';
import type { Operations } from '../session.js';
import { toRegistryError } from '../to-registry-error.js';
import { parseConstraint, satisfies } from '../versions/constraint.js';
import { parseVersion } from '../versions/version.js';
import { applyInTurn } from './apply-command.js';
import { type CheckedCommand, decideCommand } from './decide-command.js';

/** Versions that one call may change. */
export const MAX_RANGE_VERSIONS = 1000;

export function createRangeCommand(context: RegistryContext): Operations<'deprecateRange'> {
  return {
    deprecateRange(session, module, source) {
      const { call, options } = session;
      const lookUp = (address: ModuleAddress) => loadVersionList(context, address, options);
      return session.onModule('registry.module.deprecate-range', module, lookUp, async (request) => {
        const { address, found: list, caller, annotate } = request;
        const { range, includePrereleases, dryRun, reinstate, ...notice } = parseInput(
          rangeInput,
          await request.read(source),
        );
        const command: CheckedCommand = reinstate ? reinstateWithout(notice) : { name: 'deprecate', notice };
        const matching = selectVersions(list.versions, range, includePrereleases);
        // Not before it is parsed: until then the text could be anything, such as a token.
        annotate({ details: { range, dry_run: String(dryRun) } });
        const planned = matching.map((listing) => plan(address, listing, command));
        const changes = dryRun ? planned : await applyAll(address, planned, command, caller, call);
        annotate({ details: summary(changes) });
        const complete = changes.every(({ outcome }) => outcome === 'planned' || outcome === 'done');
        return { module: list.module, range, dryRun, complete, changes } satisfies RangeOutcome;
      });
    },
  };

  async function applyAll(
    module: ModuleAddress,
    planned: readonly RangeChange[],
    command: CheckedCommand,
    caller: RegistryCaller,
    call: RegistryCall,
  ): Promise<readonly RangeChange[]> {
    const changes: RangeChange[] = [];
    for (const each of planned) {
      if (each.code !== undefined) {
        changes.push({ ...each, outcome: 'failed' });
        continue;
      }
      try {
        changes.push(await applyOne(module, each, command, caller, call));
      } catch (thrown) {
        const error = toRegistryError(thrown, call.signal);
        // Deleted meanwhile: the range no longer matches it.
        if (error.code === 'not_found') continue;
        const rest = planned.slice(planned.indexOf(each) + 1);
        // Nothing was changed before: the call as a whole failed.
        if (changes.every(({ action }) => action === 'none')) throw error;
        changes.push({ ...each, outcome: 'failed', code: error.code });
        return [...changes, ...rest.map((left): RangeChange => ({ ...left, outcome: 'not-attempted' }))];
      }
    }
    return changes;
  }

  /** Each version has its own audit event, as of a command upon it alone; the request id ties them together. */
  function applyOne(
    module: ModuleAddress,
    { version }: RangeChange,
    command: CheckedCommand,
    caller: RegistryCaller,
    call: RegistryCall,
  ): Promise<RangeChange> {
    const { namespace, name, provider } = module;
    const asked = { namespace, module: name, provider, version };
    const operation = command.name === 'reinstate' ? 'registry.version.reinstate' : 'registry.version.deprecate';
    return context.runAudited(operation, asked, call, async (trail) => {
      const { annotate } = trail;
      annotate({ principal: caller.name });
      const address = versionAddress(module, version);
      const { record, entry } = await applyInTurn(context, call, address, command, caller, trail);
      const from = entry?.from ?? record.state;
      const action = entry === undefined ? 'none' : actionOf(command, from === record.state);
      annotate({ details: { from, to: record.state, changed: String(entry !== undefined) } });
      return { version, from, to: record.state, action, outcome: 'done' };
    });
  }
}

/** Oldest first. @throws RegistryError `range_too_wide` */
function selectVersions(
  newestFirst: readonly VersionListing[],
  range: string,
  includePrereleases: boolean,
): readonly VersionListing[] {
  const constraint = parseConstraint(range);
  if (constraint === undefined) throw invalidInput('/range', 'a version constraint');
  const matching = newestFirst.filter(({ summary }) => {
    const version = parseVersion(summary.version);
    return version !== undefined && satisfies(version, constraint, { includePrereleases });
  });
  if (matching.length > MAX_RANGE_VERSIONS) {
    throw new RegistryError('range_too_wide', `the range matches more than ${MAX_RANGE_VERSIONS} versions: split it`, {
      pointer: '/range',
    });
  }
  return matching.reverse();
}

/** What the command would do with a version as it stands now. */
function plan(module: ModuleAddress, { summary, status }: VersionListing, command: CheckedCommand): RangeChange {
  const { state: from, deprecation, revocation } = status;
  const current = { seq: 1, state: from, deprecation, revocation };
  const address = versionAddress(module, summary.version);
  const decision = decideCommand(address, current, command, { actor: '', requestId: '', time: 0 });
  const to = decision.kind === 'change' ? decision.change.record.state : from;
  const action = decision.kind === 'change' ? actionOf(command, from === to) : 'none';
  const change = { version: summary.version, from, to, action, outcome: 'planned' } as const;
  // A revoked version is not reinstated: the others are.
  return decision.kind === 'refuse' ? { ...change, code: decision.code } : change;
}

function actionOf({ name }: CheckedCommand, isSameState: boolean): 'deprecate' | 'revise' | 'reinstate' {
  if (name === 'reinstate') return 'reinstate';
  return isSameState ? 'revise' : 'deprecate';
}

/** @throws RegistryError `input_invalid` for a notice, which would be lost. */
function reinstateWithout(notice: object): CheckedCommand {
  const given = Object.entries(notice).find(([, value]) => value !== null);
  if (given === undefined) return { name: 'reinstate' };
  throw invalidInput(`/${given[0] === 'sunsetAt' ? 'sunset' : given[0]}`, 'left out where versions are reinstated');
}

function summary(changes: readonly RangeChange[]): Readonly<Record<string, string>> {
  const count = (outcome: RangeChange['outcome']) => String(changes.filter((each) => each.outcome === outcome).length);
  return {
    planned: count('planned'),
    done: count('done'),
    failed: count('failed'),
    not_attempted: count('not-attempted'),
  };
}
