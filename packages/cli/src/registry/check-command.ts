/**
 * `postern registry check` (CHECK-1): the run's warning as a step of a pipeline. Findings go to the standard output, what
 * could not be found out to the standard error; whatever goes wrong ends in 3, for 0 and 1 are words about modules.
 */
import { homedir } from 'node:os';
import { terminalLine } from '@postern/core-registry';
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
    printError(`postern: could not find out: ${terminalLine(reasonOf(error))}\n`);
    return EXIT.unknown;
  }
}

async function check(command: CheckCommand): Promise<number> {
  const { environment, settings } = await surroundings();
  const installed = await installedModules(command.directory, environment);
  for (const complaint of settings.complaints) printError(`postern: ${terminalLine(complaint)}\n`);
  const checked = await checkModules({
    installed,
    fetch: (url, init) => fetch(url, init),
    tokens: settings.tokens,
    clock: { now: Date.now },
    locations: locationsOf(command, settings),
    required: command.registries.size === 0 ? undefined : new Set(command.registries.keys()),
    signal: AbortSignal.timeout(MAX_DURATION_MS),
    userAgent: `postern/${VERSION}`,
  });
  const verdict = verdictOf(checked, command);
  const { out, problems } = reportText(checked, verdict, { colour: !command.noColour && wantsColour() });
  printOut(command.json ? reportDocument(checked, verdict) : out);
  printError(problems);
  for (const host of command.registries.keys()) {
    // A slip of the pen would otherwise make every registry one that need not answer.
    if (!checked.registries.some((asked) => asked.host === host)) {
      printError(`postern: no installed module is of ${terminalLine(host)}\n`);
    }
  }
  return verdict.exitCode;
}

async function surroundings() {
  const environment = process.env;
  const settings = await readCliSettings({ environment, home: homedir(), platform: process.platform });
  return { environment, settings };
}

/** What the command line says comes before what the configuration says; a host without an address keeps its own. */
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
  // As the client takes it: from the working directory, unless it is absolute.
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
      throw new InstalledModulesError('manifest_invalid', `the list has more than ${MAX_MANIFEST_BYTES} bytes`);
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Errors of our own are told; of any other only what it is, for its message may quote anything. */
function reasonOf(error: unknown): string {
  if (error instanceof InstalledModulesError) return error.message;
  if (error instanceof Error && error.name === 'TimeoutError') return 'the registries took too long';
  return `an unexpected ${error instanceof Error ? error.name : 'value'}`;
}
