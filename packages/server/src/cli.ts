#!/usr/bin/env node
/** The `postern` command. */
import { isSqliteOpenError } from '@postern/storage-sqlite';
import { parseCommandLine, USAGE } from './command-line.js';
import { ConfigError } from './config/config-error.js';
import { describeError } from './log.js';
import { printRootToken, serve } from './serve.js';
import { StartError } from './start-error.js';
import { printError, printOut, terminalLog } from './terminal.js';
import { UsageError } from './usage-error.js';
import { VERSION } from './version.js';

/** Exit codes as shells know them: 1 for a failure, 2 for a command line or configuration that cannot be meant. */
const FAILED = 1;
const MISUSED = 2;

/** @returns the exit code; undefined while a server goes on running. */
async function run(args: readonly string[]): Promise<number | undefined> {
  const command = parseCommandLine(args);
  switch (command.name) {
    case 'help':
      printOut(command.usage);
      return 0;
    case 'version':
      printOut(`${VERSION}\n`);
      return 0;
    case 'root-token':
      await printRootToken(command.config);
      return 0;
    case 'serve':
      await serve(command.config);
      return undefined;
    case 'registry-check': {
      const { runCheckCommand } = await import('./registry/check-command.js');
      return runCheckCommand(command);
    }
    case 'login': {
      const { runLoginCommand } = await import('./login/login-command.js');
      return runLoginCommand(command);
    }
    case 'sandbox': {
      const { runSandbox } = await import('./sandbox/sandbox.js');
      return runSandbox(command);
    }
  }
}

function explain(error: unknown): number {
  if (error instanceof UsageError) {
    printError(`postern: ${error.message}\n\n${error.usage ?? USAGE}`);
    return MISUSED;
  }
  if (error instanceof ConfigError) {
    printError(`postern: ${error.message}\n`);
    return MISUSED;
  }
  if (isSqliteOpenError(error) || error instanceof StartError) {
    printError(`postern: ${error.message}\n`);
    return FAILED;
  }
  terminalLog()('error', 'postern could not start', describeError(error));
  return FAILED;
}

run(process.argv.slice(2)).then(
  (code) => {
    if (code !== undefined) process.exit(code);
  },
  (error: unknown) => process.exit(explain(error)),
);
