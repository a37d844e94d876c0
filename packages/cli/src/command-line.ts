/** What the command line asks for. Parsing only; `cli.ts` does it. */
import { parseArgs } from 'node:util';
import { LOGIN_USAGE, type LoginCommand, parseLoginCommandLine } from './login/login-command-line.js';
import { CHECK_USAGE, type CheckCommand, parseCheckCommandLine } from './registry/check-command-line.js';
import { parseProblem, UsageError } from './usage-error.js';

export type Command =
  | { readonly name: 'version' }
  /** Text for the terminal. */
  | { readonly name: 'help'; readonly usage: string }
  | CheckCommand
  | LoginCommand
  | { readonly name: 'serve' | 'root-token'; readonly config: string }
  | {
      readonly name: 'sandbox';
      readonly once: boolean;
      readonly data: string;
      /** Undefined: the usual one, or any where that is taken. */
      readonly port: number | undefined;
    };

export const USAGE = `postern: cloud instances prove who they are; modules of a registry are deprecated and reinstated

  postern serve --config FILE         run the server
  postern root-token --config FILE    make another root token (the server must be stopped)
  postern sandbox [--once] [--data DIR] [--port N]
                                      try it: a fake cloud, a guided tour, then a server to play with
                                        --once   end after the tour; exit code 0 if every step went as it should
                                        --data   where the sandbox keeps its files (default ./postern-data)
                                        --port   where it listens (default 8200, or any free one)
  postern registry check [DIR]        which modules installed in DIR are deprecated or revoked (--help tells more)
  postern login [--role NAME] [--iam] log in to a server from here and get a token (--help tells more)
  postern --help
  postern --version
`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  config: { type: 'string', short: 'c' },
  once: { type: 'boolean' },
  data: { type: 'string' },
  port: { type: 'string' },
} as const;

const OPTIONS_OF: Readonly<Record<string, readonly string[]>> = {
  serve: ['config'],
  'root-token': ['config'],
  sandbox: ['once', 'data', 'port'],
};

/** @throws UsageError */
export function parseCommandLine(args: readonly string[]): Command {
  if (args[0] === 'registry') return parseCheckCommandLine(args.slice(1)) ?? { name: 'help', usage: CHECK_USAGE };
  if (args[0] === 'login') return parseLoginCommandLine(args.slice(1)) ?? { name: 'help', usage: LOGIN_USAGE };
  const { values, positionals } = parse(args);
  if (values.help === true) return { name: 'help', usage: USAGE };
  if (values.version === true) return { name: 'version' };
  const [name, ...more] = positionals;
  if (name === undefined) throw new UsageError('a command is missing');
  const known = OPTIONS_OF[name];
  if (known === undefined) throw new UsageError(`there is no command "${name}"`);
  if (more.length > 0) throw new UsageError(`"${more.join(' ')}" is not expected after "${name}"`);
  const alien = Object.keys(values).find((option) => !known.includes(option));
  if (alien !== undefined) throw new UsageError(`--${alien} is not an option of "${name}"`);
  if (name === 'sandbox') {
    return {
      name,
      once: values.once === true,
      data: values.data ?? './postern-data',
      port: values.port === undefined ? undefined : portOf(values.port),
    };
  }
  if (values.config === undefined) throw new UsageError(`"${name}" needs --config FILE`);
  return { name: name === 'serve' ? 'serve' : 'root-token', config: values.config };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(parseProblem(error));
  }
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new UsageError(`--port: "${text}" is not a port`);
  return port;
}
