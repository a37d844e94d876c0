#!/usr/bin/env node
/** The `postern` command. */
import { parseCommandLine, USAGE } from './command-line.js';
import { printError, printOut, terminal } from './terminal.js';
import { UsageError } from './usage-error.js';
import { VERSION } from './version.js';

/** Exit codes: 1 for a failure, 2 for invalid usage or configuration. */
const FAILED = 1;
const MISUSED = 2;

/** @returns the exit code; undefined while a server keeps running. */
async function run(args: readonly string[]): Promise<number | undefined> {
  const command = await parseCommandLine(args);
  switch (command.name) {
    case 'help':
      printOut(command.usage);
      return 0;
    case 'version':
      printOut(`${VERSION}\n`);
      return 0;
    case 'root-token':
      await (await import('@postern/server/command')).printRootToken(
        command.config,
        command.expiresInSeconds,
        terminal(),
      );
      return 0;
    case 'storage finalize':
      await (await import('@postern/server/command')).finalizeStorage(command.config, terminal());
      return 0;
    case 'storage create-table':
      await (await import('@postern/server/command')).createTable(command, terminal());
      return 0;
    case 'storage copy':
      await (await import('@postern/server/command')).copyStorages(command.from, command.to, terminal());
      return 0;
    case 'backup':
      await (await import('@postern/server/command')).backUp(command.config, command.to, terminal());
      return 0;
    case 'restore':
      await (await import('@postern/server/command')).restore(command, terminal());
      return 0;
    case 'audit verify':
      return (await import('@postern/server/command')).verifyAudit(command.files, terminal());
    case 'serve':
      await (await import('@postern/server/command')).serve(command.config, terminal());
      return undefined;
    case 'registry-check': {
      const { runCheckCommand } = await import('./registry/check-command.js');
      return runCheckCommand(command);
    }
    case 'login': {
      const { runLoginCommand } = await import('./login/login-command.js');
      return runLoginCommand(command);
    }
    case 'keys': {
      const { runKeysCommand } = await import('./keys/keys-command.js');
      return runKeysCommand(command);
    }
    case 'sandbox': {
      const { runSandbox } = await import('@postern/sandbox');
      return runSandbox(command, terminal());
    }
  }
}

/** Errors by name: checking their class would load the server for every command. */
const NAMED: Readonly<Record<string, number>> = { ConfigError: MISUSED, StartError: FAILED, SqliteOpenError: FAILED };

async function explain(error: unknown): Promise<number> {
  if (error instanceof UsageError) {
    printError(`postern: ${error.message}\n\n${error.usage ?? USAGE}`);
    return MISUSED;
  }
  const code = error instanceof Error ? NAMED[error.name] : undefined;
  if (error instanceof Error && code !== undefined) {
    printError(`postern: ${error.message}\n`);
    return code;
  }
  const { describeError, terminalLog } = await import('@postern/server/command');
  terminalLog(terminal())('error', 'postern could not start', describeError(error));
  return FAILED;
}

run(process.argv.slice(2)).then(
  (code) => {
    if (code !== undefined) process.exit(code);
  },
  async (error: unknown) => process.exit(await explain(error)),
);
