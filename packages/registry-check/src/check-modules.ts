/**
 * The run's warning as a function (CHECK-1): what is installed, its status in its registries, and what could not be
 * checked. Reaches outside only by the `fetch`, the tokens and the clock it is given.
 */
import { diagnose, type VersionDiagnostic } from '@postern/core-registry/notices';
import { askRegistry, type VersionAnswer } from './ask/ask-registry.js';
import { limitConcurrency } from './ask/limit-concurrency.js';
import type { Problem } from './ask/problem.js';
import { createSender } from './ask/send.js';
import type { InstalledModule } from './installed/installed-module.js';
import { PUBLIC_HOSTS, sourceText } from './installed/registry-source.js';
import { callerText, MAX_USED_VERSIONS, type RegistryVersion, usedVersions } from './installed/used-versions.js';
import type { AskedRegistry, CheckedVersion, CheckOptions, ModuleCheck, UnknownVersion } from './module-check.js';

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_CONCURRENCY = 4;

/**
 * Asks the registries of all installed modules. Resolves even if none answered: check `unknown` too, an empty
 * `diagnostics` alone does not mean clean.
 *
 * @throws the reason of `signal`, and what `tokens` throws.
 * @example
 * ```ts
 * const installed = await readInstalledModules('.');
 * const check = await checkModules({ installed, fetch, tokens: () => process.env.TOKEN, clock: { now: Date.now } });
 * process.stdout.write(runText(check.diagnostics));
 * ```
 */
export async function checkModules(options: CheckOptions): Promise<ModuleCheck> {
  if (options.maxDurationMs === undefined) return checkUntil(undefined, options);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), options.maxDurationMs);
  return checkUntil(deadline.signal, options).finally(() => clearTimeout(timer));
}

async function checkUntil(deadline: AbortSignal | undefined, options: CheckOptions): Promise<ModuleCheck> {
  const { installed, tokens, clock, locations, required } = options;
  const { versions, unrecognised, others } = usedVersions(installed);
  const isRequired = (host: string) => (required === undefined ? !PUBLIC_HOSTS.has(host) : required.has(host));
  const signal = options.signal ?? new AbortController().signal;
  signal.throwIfAborted();
  const send = createSender({
    fetch: options.fetch,
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    signal,
    deadline,
    userAgent: options.userAgent ?? 'postern-registry-check',
  });
  const inLine = limitConcurrency(options.concurrency ?? DEFAULT_CONCURRENCY);

  const asked = versions.slice(0, MAX_USED_VERSIONS);
  const answers = new Map<RegistryVersion, VersionAnswer>();
  await Promise.all(
    [...groupByHost(asked)].map(async ([host, ofHost]) => {
      const token = await tokens(host);
      const question = { host, versions: ofHost, token, location: locations?.get(host) };
      const words = await askRegistry(send, inLine, question);
      for (const [at, version] of ofHost.entries()) {
        const word = words[at];
        if (word !== undefined) answers.set(version, word);
      }
    }),
  );

  const checked: CheckedVersion[] = [];
  const unknown: UnknownVersion[] = [];
  const diagnostics: VersionDiagnostic[] = [];
  const now = clock.now();
  for (const used of versions) {
    const { version, callers } = used;
    const named = { source: sourceText(used.module), version, callers };
    const answer = answers.get(used) ?? { problem: TOO_MANY };
    if ('problem' in answer) {
      unknown.push({ ...named, problem: answer.problem, isRequired: isRequired(used.module.host) });
      continue;
    }
    const [diagnostic] = diagnose([{ ...named, ...answer }], now);
    checked.push({ ...named, ...answer, isPastSunset: diagnostic?.isPastSunset ?? false });
    if (diagnostic !== undefined) diagnostics.push(diagnostic);
  }
  unknown.push(...unrecognised.map(unrecognisedVersion));
  return { versions: checked, unknown, diagnostics, registries: registriesOf(versions, answers, isRequired), others };
}

const TOO_MANY: Problem = {
  code: 'too_many',
  message: `more than ${MAX_USED_VERSIONS} module versions: only the first were checked`,
};

function unrecognisedVersion({ key, source, version = '' }: InstalledModule): UnknownVersion {
  const problem: Problem = { code: 'source_invalid', message: 'source is not a registry address' };
  return { source, version, callers: [callerText(key)], problem, isRequired: true };
}

function groupByHost(versions: readonly RegistryVersion[]): ReadonlyMap<string, readonly RegistryVersion[]> {
  const groups = new Map<string, RegistryVersion[]>();
  for (const version of versions) {
    const group = groups.get(version.module.host) ?? [];
    group.push(version);
    groups.set(version.module.host, group);
  }
  return groups;
}

function registriesOf(
  versions: readonly RegistryVersion[],
  answers: ReadonlyMap<RegistryVersion, VersionAnswer>,
  isRequired: (host: string) => boolean,
): readonly AskedRegistry[] {
  const hosts = new Map<string, { versions: number; answered: number }>();
  for (const used of versions) {
    const counts = hosts.get(used.module.host) ?? { versions: 0, answered: 0 };
    const answer = answers.get(used);
    counts.versions += 1;
    if (answer !== undefined && !('problem' in answer)) counts.answered += 1;
    hosts.set(used.module.host, counts);
  }
  return [...hosts].map(([host, counts]) => ({ host, isRequired: isRequired(host), ...counts }));
}
