/** Options of the command, from arguments and then from the environment. */
import { parseArgs } from 'node:util';
import { CAPABILITIES, type Capability } from './case-file.js';
import { PROFILES, type ProfileName } from './profile.js';

export interface CommandLine {
  readonly url: string;
  readonly profile: ProfileName;
  readonly mount: string;
  readonly token: string;
  readonly registryToken: string;
  readonly organization: string | undefined;
  readonly filter: string | undefined;
  readonly core: boolean;
  readonly codes: boolean;
  readonly without: readonly Capability[];
  readonly cloudHost: string | undefined;
  readonly cloudPort: number | undefined;
  readonly concurrency: number | undefined;
  readonly junit: string | undefined;
  readonly json: string | undefined;
  readonly list: boolean;
}

/** A command line that cannot be used; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const USAGE = `usage: postern-conformance --url URL --token TOKEN [options]

  --url URL             base URL of the server under test            CONFORMANCE_URL
  --token TOKEN         root token of the auth method                CONFORMANCE_TOKEN
  --profile NAME        neutral (default) or vault                   CONFORMANCE_PROFILE
  --mount PATH          mount of the auth method below /v1/          CONFORMANCE_MOUNT
  --registry-token T    token for the registry; default: --token     CONFORMANCE_REGISTRY_TOKEN
  --organization NAME   organization that modules are published to   CONFORMANCE_ORGANIZATION
  --filter TEXT         part of a case id or file, or a rule id      CONFORMANCE_FILTER
  --core                leave out extensions of Postern
  --no-codes            do not check error codes
  --without LIST        what the server lacks: registry, policies, fresh, http-cloud
  --cloud-host HOST     address that the simulated cloud listens on; default 127.0.0.1
  --cloud-port PORT     its port; default: any free one
  --concurrency N       cases at the same time; default 6
  --junit FILE          write JUnit XML
  --json FILE           write JSON
  --list                print the selected cases and stop

The server must be one made for tests: the run replaces its client configuration. README.md has the rest.
`;

/** @throws UsageError */
export function parseCommandLine(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): CommandLine {
  const values = parsed(args);
  const setting = (name: 'url' | 'token' | 'profile' | 'mount' | 'registry-token' | 'organization' | 'filter') =>
    values[name] ?? environment[`CONFORMANCE_${name.toUpperCase().replaceAll('-', '_')}`];
  const list = values.list ?? false;
  const url = setting('url') ?? (list ? 'http://localhost' : undefined);
  if (url === undefined || !URL.canParse(url)) throw new UsageError('--url: a base URL is required');
  const token = setting('token') ?? (list ? '' : undefined);
  if (token === undefined) throw new UsageError('--token: a root token is required');
  const profile = setting('profile') ?? 'neutral';
  if (profile !== 'neutral' && profile !== 'vault') throw new UsageError('--profile: use neutral or vault');
  const without = (values.without ?? '').split(',').filter((name) => name !== '');
  const unknown = without.find((name) => !CAPABILITIES.some((each) => each === name));
  if (unknown !== undefined) throw new UsageError(`--without: unknown name ${unknown}; use ${CAPABILITIES.join(', ')}`);
  return {
    url: url.replace(/\/+$/, ''),
    profile,
    mount: setting('mount') ?? PROFILES[profile].mount,
    token,
    registryToken: setting('registry-token') ?? token,
    organization: setting('organization'),
    filter: setting('filter'),
    core: values.core ?? false,
    codes: !(values['no-codes'] ?? false),
    without: CAPABILITIES.filter((each) => without.includes(each)),
    cloudHost: values['cloud-host'],
    cloudPort: wholeNumber('cloud-port', values['cloud-port']),
    concurrency: wholeNumber('concurrency', values.concurrency),
    junit: values.junit,
    json: values.json,
    list,
  };
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    const options = {
      ...{
        url: text,
        token: text,
        profile: text,
        mount: text,
        'registry-token': text,
        organization: text,
        filter: text,
      },
      ...{ core: flag, 'no-codes': flag, without: text, 'cloud-host': text, 'cloud-port': text, concurrency: text },
      ...{ junit: text, json: text, list: flag },
    };
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,5}$/.test(text)) throw new UsageError(`--${name}: a whole number is required`);
  return Number(text);
}
