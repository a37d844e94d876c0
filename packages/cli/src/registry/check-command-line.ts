/** What `postern registry check` is asked for (CHECK-1). Parsing only; `check-command.ts` does it. */
import { parseArgs } from 'node:util';
import { FAIL_ON, type FailOn, parseHost, type RegistryLocation } from '@postern/registry-check';
import { parseProblem, UsageError } from '../usage-error.js';

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

export const CHECK_USAGE = `postern registry check: which installed modules are deprecated or revoked

  postern registry check [DIR]        after "terraform init" or "tofu init", in DIR (default .)
  terraform modules -json | postern registry check -
                                      the same of a list on the standard input

  --fail-on=WHAT      exit with 1 where a module is: deprecated (revoked ones too), revoked, sunset (deprecated, and its
                      last day has come); several with commas between them. Without it, everything is only told
  --json              for machines, on the standard output
  --registry=HOST, --registry=URL, --registry=HOST=URL
                      only this registry must answer, others are skipped where they don't; may be given several times.
                      A URL is the address of its modules (https://HOST/api/registry/v1/modules/) or, without a path,
                      of its service discovery
  --offline-ok        registries that are down are skipped; one that refuses the token is not down
  --no-color          no colours; so does the variable NO_COLOR, or output that is no terminal

Tokens and addresses come from where Terraform has them: TF_TOKEN_<host>, the CLI configuration (credentials and host
blocks), and what "terraform login" wrote. Exit codes: 0 nothing that fails, 1 a finding of --fail-on, 2 a command line
that cannot be meant, 3 could not find out. Registries of the public are skipped where they don't answer.
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
  const { values, positionals } = parse(args);
  if (values.help === true) return undefined;
  const [name, directory = '.', ...more] = positionals;
  if (name === undefined) throw misuse('a command is missing after "registry"');
  if (name !== 'check') throw misuse(`there is no command "registry ${name}"`);
  if (more.length > 0 || directory === '') throw misuse('one directory is expected after "registry check"');
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

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    throw misuse(parseProblem(error));
  }
}

function failOnOf(text: string): FailOn {
  const found = FAIL_ON.find((each) => each === text.trim());
  if (found === undefined) throw misuse(`--fail-on: "${text}" is not one of ${FAIL_ON.join(', ')}`);
  return found;
}

function registryOf(text: string): [string, RegistryLocation | undefined] {
  const [, named, address] = /^(?:([^=/]+)=)?(https?:\/\/.*)$/.exec(text) ?? [];
  const url = address === undefined ? undefined : urlOf(address);
  const host = parseHost(named ?? url?.host ?? text);
  if (host === undefined || (address !== undefined && url === undefined)) {
    throw misuse(`--registry: "${text}" is no host, URL or HOST=URL`);
  }
  if (url === undefined) return [host, undefined];
  const isOrigin = url.pathname === '/';
  return [host, isOrigin ? { discoveryUrl: `${url.origin}/.well-known/terraform.json` } : { modulesUrl: url.href }];
}

/** An address without a user: what stands there would be a secret on a command line. */
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
