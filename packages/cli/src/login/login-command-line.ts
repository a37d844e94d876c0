/** What `postern login` is asked for. Parsing only; `login-command.ts` does it. */
import { parseArgs } from 'node:util';
import { parseProblem, UsageError } from '../usage-error.js';

export interface LoginCommand {
  readonly name: 'login';
  readonly url: string;
  readonly by: 'instance' | 'principal';
  readonly profile: 'neutral' | 'vault';
  readonly mountPath: string | undefined;
  readonly namespace: string | undefined;
  readonly role: string | undefined;
  /** Undefined: where the user's programs keep their state. */
  readonly nonceFolder: string | undefined;
  readonly region: string | undefined;
  readonly serverId: string | undefined;
  /** Undefined: the standard output. */
  readonly tokenFile: string | undefined;
}

export const LOGIN_USAGE = `postern login: log in to Postern, or to a server that speaks as Vault does, and get a token

  postern login [--ec2] [--role NAME] --url URL      as the instance that this runs on: its signed identity document
  postern login --iam [--role NAME] --url URL        as a principal: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY
                                                     (AWS_SESSION_TOKEN), else the role of the instance

  --url URL           the server; default POSTERN_ADDR, with --profile vault VAULT_ADDR. https, or http to this machine
  --role NAME         default: the one named after the image of the instance, or after the principal
  --profile NAME      names on the wire: neutral (default) or vault
  --mount PATH        where the auth method hangs: default auth/cloud, with --profile vault auth/aws
  --nonce-folder DIR  --ec2: where the nonce is kept that every later login must show; lose it, and an operator must
                      delete the instance's access-list entry. Default: postern/nonces in XDG_STATE_HOME or
                      ~/.local/state
  --region NAME       --iam: sign for STS of this region; the server must be configured for it
  --server-id TEXT    --iam: what the server requires as iam_server_id_header_value
  --token-file FILE   put the token there (mode 0600, in one step) in place of the standard output

Exit codes: 0 logged in, 1 not available or another failure, 2 a command line that cannot be meant, 3 refused.
`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  ec2: { type: 'boolean' },
  iam: { type: 'boolean' },
  url: { type: 'string' },
  role: { type: 'string' },
  profile: { type: 'string' },
  mount: { type: 'string' },
  'nonce-folder': { type: 'string' },
  region: { type: 'string' },
  'server-id': { type: 'string' },
  'token-file': { type: 'string' },
} as const;

const ONLY_EC2 = ['nonce-folder'] as const;
const ONLY_IAM = ['region', 'server-id'] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** @param args behind `login`. @returns undefined where help is asked for. @throws UsageError */
export function parseLoginCommandLine(
  args: readonly string[],
  environment: Environment = process.env,
): LoginCommand | undefined {
  const values = parse(args);
  if (values.help === true) return undefined;
  const empty = Object.entries(values).find(([, value]) => value === '');
  if (empty !== undefined) throw misuse(`--${empty[0]}: a value is missing`);
  if (values.ec2 === true && values.iam === true) throw misuse('--ec2 and --iam exclude each other');
  const by = values.iam === true ? 'principal' : 'instance';
  const alien = (by === 'instance' ? ONLY_IAM : ONLY_EC2).find((option) => values[option] !== undefined);
  if (alien !== undefined) throw misuse(`--${alien} is not an option of ${by === 'instance' ? '--ec2' : '--iam'}`);
  const profile = profileOf(values.profile ?? 'neutral');
  const variable = profile === 'vault' ? 'VAULT_ADDR' : 'POSTERN_ADDR';
  const url = values.url ?? (environment[variable] || undefined);
  if (url === undefined) throw misuse(`--url is missing, and ${variable} is not set`);
  return {
    name: 'login',
    url,
    by,
    profile,
    mountPath: values.mount,
    namespace: profile === 'vault' ? environment['VAULT_NAMESPACE'] || undefined : undefined,
    role: values.role,
    nonceFolder: values['nonce-folder'],
    region: values.region,
    serverId: values['server-id'],
    tokenFile: values['token-file'],
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: false, strict: true }).values;
  } catch (error) {
    throw misuse(parseProblem(error));
  }
}

function profileOf(text: string): LoginCommand['profile'] {
  if (text === 'neutral' || text === 'vault') return text;
  throw misuse(`--profile: "${text}" is not one of neutral, vault`);
}

function misuse(message: string): UsageError {
  return new UsageError(message, LOGIN_USAGE);
}
