/** Parses the command line of `postern login`; `login-command.ts` runs it. */
import { type Environment, PLACE_OPTIONS, placeOf, type ServerPlace } from '../server-place.js';
import { parseOptions, UsageError } from '../usage-error.js';

export interface LoginCommand extends ServerPlace {
  readonly name: 'login';
  readonly by: 'instance' | 'principal';
  readonly role: string | undefined;
  /** Undefined: `postern/nonces` in the user's state folder. */
  readonly nonceFolder: string | undefined;
  readonly region: string | undefined;
  readonly serverId: string | undefined;
  /** Undefined: the standard output. */
  readonly tokenFile: string | undefined;
}

export const LOGIN_USAGE = `postern login: log in to Postern or to a server with Vault's API, and print a token

Usage:
  postern login [--ec2] [--role NAME] --url URL      as this instance, by its signed identity document
  postern login --iam [--role NAME] --url URL        as the principal that the AWS SDK finds: AWS_PROFILE, keys in the
                                                     environment, default profile, web identity, container, instance;
                                                     says on the standard error which one signed

Options:
  --url URL           the server: https, or http on this machine; default POSTERN_ADDR, with --profile vault VAULT_ADDR
  --role NAME         default: the image id of the instance, or the name of the principal
  --profile NAME      names on the wire: neutral (default) or vault
  --mount PATH        mount path of the auth method: default auth/cloud, with --profile vault auth/aws
  --nonce-folder DIR  --ec2: folder for the nonce that every later login requires; if it is lost, an operator must delete
                      the instance's access list entry. Default: postern/nonces in XDG_STATE_HOME or ~/.local/state
  --region NAME       --iam: sign for STS of this region; the server must be configured for it
  --server-id TEXT    --iam: the server's iam_server_id_header_value
  --token-file FILE   write the token to FILE (mode 0600, atomically) instead of the standard output

Exit codes: 0 logged in, 1 server unavailable or another failure, 2 invalid usage, 3 login denied.
`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  ec2: { type: 'boolean' },
  iam: { type: 'boolean' },
  ...PLACE_OPTIONS,
  role: { type: 'string' },
  'nonce-folder': { type: 'string' },
  region: { type: 'string' },
  'server-id': { type: 'string' },
  'token-file': { type: 'string' },
} as const;

const ONLY_EC2 = ['nonce-folder'] as const;
const ONLY_IAM = ['region', 'server-id'] as const;

/** @param args behind `login`. @returns undefined where help is asked for. @throws UsageError */
export function parseLoginCommandLine(
  args: readonly string[],
  environment: Environment = process.env,
): LoginCommand | undefined {
  const { values } = parseOptions({ args: [...args], options: OPTIONS, allowPositionals: false }, LOGIN_USAGE);
  if (values.help === true) return undefined;
  const empty = Object.entries(values).find(([, value]) => value === '');
  if (empty !== undefined) throw misuse(`--${empty[0]}: missing value`);
  if (values.ec2 === true && values.iam === true) throw misuse('set either --ec2 or --iam');
  const by = values.iam === true ? 'principal' : 'instance';
  const alien = (by === 'instance' ? ONLY_IAM : ONLY_EC2).find((option) => values[option] !== undefined);
  if (alien !== undefined) throw misuse(`--${alien} is valid with ${by === 'instance' ? '--iam' : '--ec2'} only`);
  return {
    ...placeOf(values, environment, misuse),
    name: 'login',
    by,
    role: values.role,
    nonceFolder: values['nonce-folder'],
    region: values.region,
    serverId: values['server-id'],
    tokenFile: values['token-file'],
  };
}

function misuse(message: string): UsageError {
  return new UsageError(message, LOGIN_USAGE);
}
