/**
 * `postern registry check` (CHECK-1): the run's warning as a step of a pipeline. Findings go to the standard output,
 * failed lookups to the standard error; every failure exits with 3, because 0 and 1 are verdicts on modules.
 */
import { homedir } from 'node:os';
import { terminalLine } from '@postern/core-registry/notices';
import {
  type CliSettings,
  checkModules,
  EXIT,
  type InstalledModule,
  InstalledModulesError,
  MAX_MANIFEST_BYTES,
  parseInstalledModules,
  type RegistryLocation,
  readCliSettings,
  readInstalledModules,
  reportDocument,
  reportText,
  verdictOf,
} from '@postern/registry-check';
import { printError, printOut, wantsColour } from '../terminal.js';
import { VERSION } from '../version.js';
import type { CheckCommand } from './check-command-line.js';

/** Of the whole check. Milliseconds. */
const MAX_DURATION_MS = 120_000;

/** @returns the exit code; never rejects. */
export async function runCheckCommand(command: CheckCommand): Promise<number> {
  try {
    return await check(command);
  } catch (error) {
    printError(`postern: could not check: ${terminalLine(reasonOf(error))}\n`);
    return EXIT.unknown;
  }
}

async function check(command: CheckCommand): Promise<number> {
  const { environment, settings } = await readEnvironment();
  const installed = await installedModules(command.directory, environment);
  for (const complaint of settings.complaints) printError(`postern: ${terminalLine(complaint)}\n`);
  const checked = await checkModules({
    installed,
    fetch: (url, init) => fetch(url, init),
    tokens: settings.tokens,
    clock: { now: Date.now },
    locations: locationsOf(command, settings),
    required: command.registries.size === 0 ? undefined : new Set(command.registries.keys()),
    maxDurationMs: MAX_DURATION_MS,
    userAgent: `postern/${VERSION}`,
  });
  const verdict = verdictOf(checked, command);
  const { out, problems } = reportText(checked, verdict, { colour: !command.noColour && wantsColour() });
  printOut(command.json ? reportDocument(checked, verdict) : out);
  printError(problems);
  for (const host of command.registries.keys()) {
    // A mistyped host would otherwise make every registry optional.
    if (!checked.registries.some((asked) => asked.host === host)) {
      printError(`postern: no installed module comes from ${terminalLine(host)}\n`);
    }
  }
  return verdict.exitCode;
}

async function readEnvironment() {
  const environment = process.env;
  const settings = await readCliSettings({ environment, home: homedir(), platform: process.platform });
  return { environment, settings };
}

/** The command line wins over the configuration; a host without an address keeps its own. */
function locationsOf({ registries }: CheckCommand, { locations }: CliSettings): ReadonlyMap<string, RegistryLocation> {
  const merged = new Map(locations);
  for (const [host, location] of registries) if (location !== undefined) merged.set(host, location);
  return merged;
}

/** @throws InstalledModulesError */
async function installedModules(
  directory: string,
  { TF_DATA_DIR: dataDirectory = '' }: Readonly<Record<string, string | undefined>>,
): Promise<readonly InstalledModule[]> {
  if (directory === '-') return parseInstalledModules(await standardInput());
  if (dataDirectory === '') return readInstalledModules(directory);
  // As Terraform resolves it: relative to the working directory.
  const isAbsolute = /^(?:[/\\]|[A-Za-z]:)/.test(dataDirectory);
  return readInstalledModules(directory, isAbsolute ? dataDirectory : `${directory}/${dataDirectory}`);
}

async function standardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of process.stdin) {
    // Without an encoding the stream gives buffers.
    const bytes = chunk as Buffer;
    total += bytes.length;
    if (total > MAX_MANIFEST_BYTES) {
      throw new InstalledModulesError('manifest_invalid', `the list is larger than ${MAX_MANIFEST_BYTES} bytes`);
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The message of a known error; of any other only its name, because its message may quote secrets. */
function reasonOf(error: unknown): string {
  if (error instanceof InstalledModulesError) return error.message;
  return `unexpected ${error instanceof Error ? error.name : 'value'}`;
}
