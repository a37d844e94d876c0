/** Parses the command line of `postern keys` (STORE-7); `keys-command.ts` runs it. */
import { type Environment, PLACE_OPTIONS, placeOf, type ServerPlace } from '../server-place.js';
import { parseOptions, UsageError } from '../usage-error.js';

const VERBS = ['list', 'rotate', 'rewrap'] as const;

export interface KeysCommand extends ServerPlace {
  readonly name: 'keys';
  readonly verb: (typeof VERBS)[number];
  /** Undefined: the token is in the variable. */
  readonly tokenFile: string | undefined;
  readonly tokenVariable: 'POSTERN_TOKEN' | 'VAULT_TOKEN';
}

export const KEYS_USAGE = `postern keys: manage the data keys that seal the secrets of a running server

Usage:
  postern keys list                   list data keys, the oldest first, and what wraps each; the last one seals
  postern keys rotate                 make a new data key, which seals from now on; older ones still open
  postern keys rewrap                 wrap all data keys with the configured key, and seal every secret under the newest
                                      data key; shows progress, and continues where an earlier run ended

Options:
  --url URL           the server: https, or http on this machine; default POSTERN_ADDR, with --profile vault VAULT_ADDR
  --token-file FILE   a file that holds a management token; default: the variable POSTERN_TOKEN, or VAULT_TOKEN
  --profile NAME      names on the wire: neutral (default) or vault
  --mount PATH        mount path of the auth method: default auth/cloud, with --profile vault auth/aws

Exit codes: 0 done, 1 server unavailable or another failure, 2 invalid usage, 3 permission denied.
`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  ...PLACE_OPTIONS,
  'token-file': { type: 'string' },
} as const;

/** @param args behind `keys`. @returns undefined where help is asked for. @throws UsageError */
export function parseKeysCommandLine(
  args: readonly string[],
  environment: Environment = process.env,
): KeysCommand | undefined {
  const { values, positionals } = parseOptions(
    { args: [...args], options: OPTIONS, allowPositionals: true },
    KEYS_USAGE,
  );
  if (values.help === true) return undefined;
  const [asked, ...more] = positionals;
  const verb = VERBS.find((each) => each === asked);
  if (verb === undefined) {
    throw misuse(asked === undefined ? 'missing command after "keys"' : `unknown command "keys ${asked}"`);
  }
  if (more.length > 0) throw misuse(`unexpected argument "${more.join(' ')}" after "keys ${verb}"`);
  const empty = Object.entries(values).find(([, value]) => value === '');
  if (empty !== undefined) throw misuse(`--${empty[0]}: missing value`);
  const place = placeOf(values, environment, misuse);
  const tokenVariable = place.profile === 'vault' ? 'VAULT_TOKEN' : 'POSTERN_TOKEN';
  const tokenFile = values['token-file'];
  if (tokenFile === undefined && (environment[tokenVariable] ?? '') === '') {
    throw misuse(`missing token; set --token-file or ${tokenVariable}`);
  }
  return { ...place, name: 'keys', verb, tokenFile, tokenVariable };
}

function misuse(message: string): UsageError {
  return new UsageError(message, KEYS_USAGE);
}
