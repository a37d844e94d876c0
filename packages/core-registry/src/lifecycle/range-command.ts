/**
 * Deprecates every version that a constraint names (REG-12). No commit spans them all: each version is its own, oldest first, and
 * the answer tells version by version what stands. Rehearse with a dry run.
 */
import type { ModuleAddress, RegistryCaller } from '@postern/ports';
import { identify, notFound, requireAccess } from '../access.js';
import { isModuleAddress, versionAddress } from '../addresses/address.js';
import type { Note } from '../audit/run-audited.js';
import { audited, type RegistryContext } from '../context.js';
import { RegistryError } from '../errors.js';
import { invalidInput, parseInput } from '../input/parse-input.js';
import { rangeInput } from '../input/schemas.js';
import { loadVersionList } from '../modules/load-version-list.js';
import type { Registry } from '../registry.js';
import type { RangeChange, RangeOutcome, RegistryCall, VersionListing } from '../results.js';
import { toRegistryError } from '../to-registry-error.js';
import { parseConstraint, satisfies } from '../versions/constraint.js';
import { parseVersion } from '../versions/version.js';
import type { ApplyAndTell } from './apply-and-tell.js';
import { type CheckedCommand, decideCommand } from './decide-command.js';

/** Versions that one call may touch. */
export const MAX_RANGE_VERSIONS = 1000;

export function createRangeCommand(context: RegistryContext, apply: ApplyAndTell): Pick<Registry, 'deprecateRange'> {
  const { ports, runAudited } = context;

  return {
    deprecateRange(call, module, input) {
      const { namespace, name, provider } = module;
      const operation = audited('registry.module.deprecate-range', { namespace, module: name, provider });
      return runAudited(operation, call, async (note) => {
        const caller = await identify(ports.authorizer, call, note);
        if (!isModuleAddress(module)) throw notFound(note, 'address_malformed');
        const list = await requireAccess(ports.authorizer, { caller, namespace, action: 'manage' }, call, note, () =>
          loadVersionList(context, module, call),
        );
        const { range, includePrereleases, dryRun, ...notice } = parseInput(rangeInput, input);
        const named = selectVersions(list.versions, range, includePrereleases);
        // Only now: what is no range may be anything, and is not repeated.
        note({ details: { range, dry_run: String(dryRun) } });
        const command: CheckedCommand = { name: 'deprecate', notice };
        const planned = named.map((listing) => plan(module, listing, command));
        const changes = dryRun ? planned : await applyAll(module, planned, command, caller, call);
        note({ details: summary(changes) });
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
      try {
        changes.push(await applyOne(module, each, command, caller, call));
      } catch (thrown) {
        const error = toRegistryError(thrown, call.signal);
        // Deleted meanwhile: the range names it no longer.
        if (error.code === 'not_found') continue;
        const rest = planned.slice(planned.indexOf(each) + 1);
        // Nothing stands that was not there: then the whole call failed, and may say so.
        if (changes.every(({ action }) => action === 'none')) throw error;
        changes.push({ ...each, outcome: 'failed', code: error.code });
        return [...changes, ...rest.map((left): RangeChange => ({ ...left, outcome: 'not-attempted' }))];
      }
    }
    return changes;
  }

  /** Each version has its own audit event, like that of a command upon it alone, tied together by the request's id. */
  function applyOne(
    module: ModuleAddress,
    { version }: RangeChange,
    command: CheckedCommand,
    caller: RegistryCaller,
    call: RegistryCall,
  ): Promise<RangeChange> {
    const { namespace, name, provider } = module;
    const operation = audited('registry.version.deprecate', { namespace, module: name, provider, version });
    return runAudited(operation, call, async (note: Note) => {
      note({ principal: caller.name });
      const { record, entry } = await apply(versionAddress(module, version), command, caller, call, note);
      const from = entry?.from ?? record.state;
      const action = entry === undefined ? 'none' : from === record.state ? 'revise' : 'deprecate';
      note({ details: { from, to: record.state, changed: String(entry !== undefined) } });
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
  const named = newestFirst.filter(({ summary }) => {
    const version = parseVersion(summary.version);
    return version !== undefined && satisfies(version, constraint, { includePrereleases });
  });
  if (named.length > MAX_RANGE_VERSIONS) {
    throw new RegistryError('range_too_wide', `the range names more than ${MAX_RANGE_VERSIONS} versions: split it`, {
      pointer: '/range',
    });
  }
  return named.reverse();
}

/** What the command would do with a version as it stands now. */
function plan(module: ModuleAddress, { summary, status }: VersionListing, command: CheckedCommand): RangeChange {
  const { state: from, deprecation, revocation } = status;
  const current = { seq: 1, state: from, deprecation, revocation };
  const address = versionAddress(module, summary.version);
  const decision = decideCommand(address, current, command, { actor: '', requestId: '', time: 0 });
  const to = decision.kind === 'change' ? decision.change.record.state : from;
  const action = decision.kind !== 'change' ? 'none' : from === to ? 'revise' : 'deprecate';
  return { version: summary.version, from, to, action, outcome: 'planned' };
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
