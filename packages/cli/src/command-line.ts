/** Parses the command line; `cli.ts` runs the command. */
import { KEYS_USAGE, type KeysCommand, parseKeysCommandLine } from './keys/keys-command-line.js';
import { LOGIN_USAGE, type LoginCommand, parseLoginCommandLine } from './login/login-command-line.js';
import type { CheckCommand } from './registry/check-command-line.js';
import { parseOptions, UsageError } from './usage-error.js';

export type Command =
  | { readonly name: 'version' }
  /** Text for the terminal. */
  | { readonly name: 'help'; readonly usage: string }
  | CheckCommand
  | LoginCommand
  | KeysCommand
  | { readonly name: 'audit verify'; readonly files: readonly string[] }
  | { readonly name: 'serve' | 'storage finalize'; readonly config: string }
  /** Without `shards`: the default. */
  | { readonly name: 'storage create-table'; readonly config: string; readonly shards: number | undefined }
  /** Configuration files both. */
  | { readonly name: 'storage copy'; readonly from: string; readonly to: string }
  | {
      readonly name: 'root-token';
      readonly config: string;
      /** Undefined: the token never expires. */
      readonly expiresInSeconds: number | undefined;
    }
  | { readonly name: 'backup'; readonly config: string; readonly to: string }
  | { readonly name: 'restore'; readonly config: string; readonly from: string; readonly replace: boolean }
  | {
      readonly name: 'sandbox';
      readonly once: boolean;
      readonly data: string;
      /** Undefined: 8200, or any free port where that is taken. */
      readonly port: number | undefined;
    };

export const USAGE = `postern: AWS logins as Vault's AWS auth method does them, and a module registry that can deprecate versions

Usage:
  postern serve --config FILE         start the server
  postern root-token --config FILE [--expires DURATION]
                                      create another root token (stop the server first)
                                        --expires  after this time, such as 30m, 8h or 7d (default never)
  postern storage finalize --config FILE
                                      end a rolling upgrade: write the newest record format from now on
  postern storage create-table --config FILE [--shards N]
                                      create the DynamoDB table of storage.dynamodb
                                        --shards  partitions, a power of two (default 16)
  postern storage copy FROM TO        copy everything into an empty storage, or complete such a copy (stop all servers first);
                                      FROM and TO are the configuration files of the two storages
  postern backup --config FILE TO     back up the storage, while servers run, to the file or folder TO
  postern restore --config FILE FROM [--replace]
                                      restore a backup (stop all servers first)
                                        --replace  in place of what the storage holds
  postern audit verify FILE...        report changed, missing and repeated lines of an audit log, the oldest file first
  postern sandbox [--once] [--data DIR] [--port N]
                                      start a server with a simulated AWS, and a guided tour of it
                                        --once   exit after the tour; exit code 0 if every step succeeded
                                        --data   folder for its files (default ./postern-data)
                                        --port   port to listen on (default 8200, or any free port)
  postern login [--role NAME] [--iam] log in to a server and print a token (see "postern login --help")
  postern keys list|rotate|rewrap     manage the data keys of a running server (see "postern keys --help")
  postern registry check [DIR]        report deprecated and revoked modules installed in DIR
                                      (see "postern registry check --help")
  postern --help
  postern --version
`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  config: { type: 'string', short: 'c' },
  expires: { type: 'string' },
  once: { type: 'boolean' },
  data: { type: 'string' },
  port: { type: 'string' },
  replace: { type: 'boolean' },
  shards: { type: 'string' },
} as const;

const OPTIONS_OF: Readonly<Record<string, readonly string[]>> = {
  serve: ['config'],
  'root-token': ['config', 'expires'],
  'storage finalize': ['config'],
  'storage create-table': ['config', 'shards'],
  backup: ['config'],
  restore: ['config', 'replace'],
  sandbox: ['once', 'data', 'port'],
};

/** @throws UsageError */
export async function parseCommandLine(args: readonly string[]): Promise<Command> {
  if (args[0] === 'registry') {
    // Loaded here: it knows hosts and versions, which other commands do not need.
    const { CHECK_USAGE, parseCheckCommandLine } = await import('./registry/check-command-line.js');
    return parseCheckCommandLine(args.slice(1)) ?? { name: 'help', usage: CHECK_USAGE };
  }
  if (args[0] === 'login') return parseLoginCommandLine(args.slice(1)) ?? { name: 'help', usage: LOGIN_USAGE };
  if (args[0] === 'keys') return parseKeysCommandLine(args.slice(1)) ?? { name: 'help', usage: KEYS_USAGE };
  const { values, positionals } = parseOptions({ args: [...args], options: OPTIONS, allowPositionals: true });
  if (values.help === true) return { name: 'help', usage: USAGE };
  if (values.version === true) return { name: 'version' };
  const [name, ...given] = GROUPS.has(positionals[0] ?? '') ? joinFirstTwo(positionals) : positionals;
  if (name === undefined) throw new UsageError('missing command');
  if (name === 'audit verify') return { name, files: filesOf(given, values) };
  if (name === 'storage copy') return { name, ...endsOf(given, values) };
  const known = OPTIONS_OF[name];
  if (known === undefined) throw new UsageError(`unknown command "${name}"`);
  const [path, ...more] = name === 'backup' || name === 'restore' ? given : [undefined, ...given];
  if (more.length > 0) throw new UsageError(`unexpected argument "${more.join(' ')}" after "${name}"`);
  const alien = Object.keys(values).find((option) => !known.includes(option));
  if (alien !== undefined) throw new UsageError(`unknown option --${alien} for "${name}"`);
  if (name === 'sandbox') {
    return {
      name,
      once: values.once === true,
      data: values.data ?? './postern-data',
      port: values.port === undefined ? undefined : portOf(values.port),
    };
  }
  if (values.config === undefined) throw new UsageError(`"${name}" requires --config FILE`);
  if (name === 'backup' || name === 'restore') {
    if (path === undefined) throw new UsageError(`"${name}" requires a path`);
    const { config } = values;
    return name === 'backup'
      ? { name, config, to: path }
      : { name, config, from: path, replace: values.replace === true };
  }
  if (name === 'root-token') {
    const expiresInSeconds = values.expires === undefined ? undefined : secondsOf(values.expires);
    return { name, config: values.config, expiresInSeconds };
  }
  if (name === 'storage create-table') {
    const shards = values.shards === undefined ? undefined : shardsOf(values.shards);
    return { name, config: values.config, shards };
  }
  return { name: name === 'serve' ? name : 'storage finalize', config: values.config };
}

/** Commands of two words, and what their second can be. */
const GROUPS: ReadonlyMap<string, string> = new Map([
  ['storage', 'finalize, create-table or copy'],
  ['audit', 'verify'],
]);

function joinFirstTwo([group = '', verb, ...more]: readonly string[]): readonly string[] {
  if (verb === undefined) throw new UsageError(`"${group}" requires a command: ${GROUPS.get(group)}`);
  return [`${group} ${verb}`, ...more];
}

function endsOf(
  [from, to, ...more]: readonly string[],
  values: object,
): { readonly from: string; readonly to: string } {
  const [alien] = Object.keys(values);
  if (alien !== undefined) throw new UsageError(`unknown option --${alien} for "storage copy"`);
  if (from === undefined || to === undefined) {
    throw new UsageError('"storage copy" requires FROM and TO, two configuration files');
  }
  if (more.length > 0) throw new UsageError(`unexpected argument "${more.join(' ')}" after "storage copy"`);
  return { from, to };
}

function filesOf(files: readonly string[], values: object): readonly string[] {
  const [alien] = Object.keys(values);
  if (alien !== undefined) throw new UsageError(`unknown option --${alien} for "audit verify"`);
  if (files.length === 0) throw new UsageError('"audit verify" requires FILE');
  return files;
}

const SECONDS = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 60 * 60],
  ['d', 24 * 60 * 60],
]);

function secondsOf(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (SECONDS.get(unit) ?? Number.NaN);
  if (Number.isNaN(seconds)) {
    throw new UsageError(`--expires: invalid duration "${text}"; use a number and s, m, h or d, such as 8h`);
  }
  return seconds;
}

function shardsOf(text: string): number {
  if (!/^(?:1|2|4|8|16|32|64|128|256)$/.test(text)) {
    throw new UsageError(`--shards: invalid number "${text}"; use a power of two, at most 256`);
  }
  return Number(text);
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new UsageError(`--port: invalid port "${text}"; use 0 to 65535`);
  return port;
}
