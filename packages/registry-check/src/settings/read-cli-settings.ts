/**
 * Tokens and addresses of registries as the CLI itself would find them: environment first, then its configuration file, then
 * what `terraform login` wrote (CHECK-5). With `TF_CLI_CONFIG_FILE` that file alone counts. Credentials helpers
 * are programs of others: none is run.
 */
import type { RegistryLocation } from '../ask/discover.js';
import { parseHost } from '../installed/registry-source.js';
import { readTextFile } from '../read-text-file.js';
import { type CliConfig, parseCliConfig } from './cli-config.js';
import { environmentTokens } from './environment-token.js';
import { ConfigSyntaxError } from './parse-config-language.js';

export interface CliSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The user's own folder. */
  readonly home: string;
  readonly platform: string;
}

export interface CliSettings {
  /** The token of a host. A function, so that the tokens are never printed. */
  readonly tokens: (host: string) => string | undefined;
  readonly locations: ReadonlyMap<string, RegistryLocation>;
  /** Files that are there and could not be read: safe to print. */
  readonly complaints: readonly string[];
}

const MAX_BYTES = 1024 * 1024;

/** Never rejects: a file that cannot be read is a complaint. */
export async function readCliSettings({ environment, home, platform }: CliSurroundings): Promise<CliSettings> {
  const complaints: string[] = [];
  const configs: CliConfig[] = [];
  for (const group of configFiles(environment, home, platform)) {
    for (const path of group) {
      const config = await readConfig(path, complaints);
      if (config === undefined) continue;
      configs.push(config);
      break;
    }
  }
  const fromEnvironment = environmentTokens(environment);
  const find = <T>(read: (config: CliConfig) => T | undefined) => {
    for (const config of configs) {
      const found = read(config);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const hosts = new Set(configs.flatMap(({ modulesUrls }) => [...modulesUrls.keys()]));
  const locations = new Map(
    [...hosts].map((host) => [host, { modulesUrl: find(({ modulesUrls }) => modulesUrls.get(host)) ?? '' }]),
  );
  return {
    tokens: (text) => {
      const host = parseHost(text);
      if (host === undefined) return undefined;
      return fromEnvironment.get(host) ?? find(({ tokens }) => tokens.get(host));
    },
    locations,
    complaints,
  };
}

/** Groups in the order in which they count; of a group the first file that is there. */
function configFiles(
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
  platform: string,
): readonly (readonly string[])[] {
  const named = environment['TF_CLI_CONFIG_FILE'] ?? environment['TERRAFORM_CONFIG'] ?? '';
  if (named !== '') return [[named]];
  if (platform === 'win32') {
    const folder = environment['APPDATA'] ?? home;
    return [[`${folder}/tofu.rc`, `${folder}/terraform.rc`], [`${folder}/terraform.d/credentials.tfrc.json`]];
  }
  return [[`${home}/.tofurc`, `${home}/.terraformrc`], [`${home}/.terraform.d/credentials.tfrc.json`]];
}

async function readConfig(path: string, complaints: string[]): Promise<CliConfig | undefined> {
  try {
    const text = await readTextFile(path, MAX_BYTES);
    return text === undefined ? undefined : parseCliConfig(text, path.endsWith('.json') ? 'json' : 'native');
  } catch (error) {
    const why = error instanceof ConfigSyntaxError || error instanceof RangeError ? `: ${error.message}` : '';
    complaints.push(`${path} cannot be read${why}`);
    return undefined;
  }
}
