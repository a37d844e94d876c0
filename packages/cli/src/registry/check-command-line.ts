/** Parses the command line of `postern registry check` (CHECK-1); `check-command.ts` runs it. */
import { FAIL_ON, type FailOn, parseHost, type RegistryLocation } from '@postern/registry-check';
import { parseOptions, UsageError } from '../usage-error.js';

export interface CheckCommand {
  readonly name: 'registry-check';
  /** The working directory; `-`: a list on the standard input. */
  readonly directory: string;
  readonly json: boolean;
  readonly failOn: ReadonlySet<FailOn>;
  readonly offlineOk: boolean;
  readonly noColour: boolean;
  /** Where to ask for a host; by its own discovery where there is no address. */
  readonly registries: ReadonlyMap<string, RegistryLocation | undefined>;
}

export const CHECK_USAGE = `postern registry check: report deprecated and revoked modules

Usage:
  postern registry check [DIR]        after "terraform init" or "tofu init", in DIR (default .)
  terraform modules -json | postern registry check -
                                      read the list of modules from the standard input

Options:
  --fail-on=WHAT      exit with 1 if a module is: deprecated (includes revoked), revoked, sunset (deprecated and past its
                      last day); separate several by commas. Default: report only
  --json              print JSON
  --registry=HOST, --registry=URL, --registry=HOST=URL
                      require this registry, and skip others that do not respond; can be given several times. URL is the
                      address of its modules (https://HOST/api/registry/v1/modules/) or, without a path, of its service
                      discovery
  --offline-ok        skip registries that are down; one that rejects the token is not down
  --no-color          disable colors; so do the variable NO_COLOR and output that is not a terminal

Tokens and addresses come from Terraform's own configuration: TF_TOKEN_<host>, the CLI configuration (credentials and host
blocks), and what "terraform login" wrote. Public registries are skipped if they do not respond.

Exit codes: 0 no finding that fails, 1 a finding of --fail-on, 2 invalid usage, 3 could not check.
`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  json: { type: 'boolean' },
  'fail-on': { type: 'string', multiple: true },
  registry: { type: 'string', multiple: true },
  'offline-ok': { type: 'boolean' },
  'no-color': { type: 'boolean' },
} as const;

/** @param args behind `registry`. @returns undefined where help is asked for. @throws UsageError */
export function parseCheckCommandLine(args: readonly string[]): CheckCommand | undefined {
  const { values, positionals } = parseOptions(
    { args: [...args], options: OPTIONS, allowPositionals: true },
    CHECK_USAGE,
  );
  if (values.help === true) return undefined;
  const [name, directory = '.', ...more] = positionals;
  if (name === undefined) throw misuse('missing command after "registry"');
  if (name !== 'check') throw misuse(`unknown command "registry ${name}"`);
  if (more.length > 0 || directory === '') throw misuse('expected one directory after "registry check"');
  return {
    name: 'registry-check',
    directory,
    json: values.json === true,
    failOn: new Set((values['fail-on'] ?? []).flatMap((list) => list.split(',')).map(failOnOf)),
    offlineOk: values['offline-ok'] === true,
    noColour: values['no-color'] === true,
    registries: new Map((values.registry ?? []).map(registryOf)),
  };
}

function failOnOf(text: string): FailOn {
  const found = FAIL_ON.find((each) => each === text.trim());
  if (found === undefined) throw misuse(`--fail-on: unknown value "${text}"; use ${FAIL_ON.join(', ')}`);
  return found;
}

function registryOf(text: string): [string, RegistryLocation | undefined] {
  const [, named, address] = /^(?:([^=/]+)=)?(https?:\/\/.*)$/.exec(text) ?? [];
  const url = address === undefined ? undefined : urlOf(address);
  const host = parseHost(named ?? url?.host ?? text);
  if (host === undefined || (address !== undefined && url === undefined)) {
    throw misuse(`--registry: invalid value "${text}"; use HOST, URL or HOST=URL`);
  }
  if (url === undefined) return [host, undefined];
  const isOrigin = url.pathname === '/';
  return [host, isOrigin ? { discoveryUrl: `${url.origin}/.well-known/terraform.json` } : { modulesUrl: url.href }];
}

/** Rejects a URL with credentials: they would be a secret on a command line. */
function urlOf(text: string): URL | undefined {
  try {
    const url = new URL(text);
    return url.username === '' && url.password === '' && url.search === '' ? url : undefined;
  } catch {
    return undefined;
  }
}

function misuse(message: string): UsageError {
  return new UsageError(message, CHECK_USAGE);
}
