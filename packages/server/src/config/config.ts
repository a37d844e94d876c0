/** The configuration file of `postern serve`: JSON, every member checked, unknown ones refused (PROVIDER-3, TOKEN-5, POLICY-4). */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism, hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import { parseStrictJson } from '@postern/kernel';
import * as z from 'zod';
import { registryLimits, registryQuota, registryRate, registrySection } from '../registry/registry-config.js';
import { resolveSealing, type SealingConfig, sealingMember } from '../sealing/sealing-config.js';
import {
  dynamodbSection,
  postgresSection,
  resolveStorage,
  type StorageConfig,
  storageSection,
} from '../storage/storage-config.js';
import { ConfigError, describeIssues } from './config-error.js';
import { duplicateMemberOf } from './duplicate-member.js';
import { flag, positive, section, text, whole } from './members.js';

const DEFAULT_PORT = 8200;

const CAPABILITIES = ['create', 'read', 'update', 'delete', 'list', 'deny'] as const;

const listen = section({
  host: text('an address to listen on, such as "127.0.0.1"').optional(),
  port: whole('a port from 0 to 65535', 0, 65_535).optional(),
});
const metrics = section({
  host: text('an address to listen on, such as "127.0.0.1"').optional(),
  port: whole('a port from 0 to 65535', 0, 65_535),
});
const tokens = section({
  defaultTtlSeconds: whole('a whole number of seconds, 1 or more', 1, Number.MAX_SAFE_INTEGER).optional(),
  maxTtlSeconds: whole('a whole number of seconds, 1 or more', 1, Number.MAX_SAFE_INTEGER).optional(),
});
const rate = section({
  perSecond: positive.optional(),
  burst: whole('a whole number, 1 or more', 1, Number.MAX_SAFE_INTEGER).optional(),
});
const rateOrFalse = z
  .union([z.literal(false), rate], { error: 'expected false or an object of perSecond and burst' })
  .optional();
const audit = section({
  file: text('the path of the audit log, or "-" for the standard output').optional(),
  syslog: text('an address such as "udp://localhost:514"')
    .regex(/^(?:(?:udp|tcp):\/\/[^/?#]+|unix:\/.+)$/, 'expected udp://host:port, tcp://host:port or unix:/path')
    .optional(),
  http: text('a URL')
    .regex(/^https?:\/\/\S+$/, 'expected an http:// or https:// URL')
    .optional(),
  tokenFile: text('the path of a file with a bearer token, for http').optional(),
})
  .refine(({ file, syslog, http }) => [file, syslog, http].filter((one) => one !== undefined).length === 1, {
    error: 'expected one of file, syslog and http',
  })
  .refine(({ http, tokenFile }) => http !== undefined || tokenFile === undefined, {
    error: 'tokenFile: only with http',
  });
const count = whole('a whole number, 1 or more', 1, Number.MAX_SAFE_INTEGER).optional();
const limits = section({
  connections: count,
  connectionsPerPeer: count,
  bodyBytes: count,
  bodyBytesPerPeer: count,
});
const MAX_WORKERS = 256;
const WORKERS = `a number of processes from 1 to ${MAX_WORKERS}, or "auto"`;
const shutdown = section({ delaySeconds: whole('a number of seconds from 0 to 3600', 0, 3600) });
const provider = section({
  module: text('the path of a module that exports createProvider'),
  options: z.unknown().optional(),
});
const policy = z.record(
  z.string().min(1),
  z.array(z.enum(CAPABILITIES, { error: `expected one of ${CAPABILITIES.join(', ')}` }), {
    error: 'expected a list of capabilities',
  }),
  { error: 'expected an object of path patterns' },
);

const root = section({
  listen: listen.optional(),
  storage: storageSection,
  mountPath: text('a path below /v1/ such as "auth/cloud"')
    .regex(/^[\w.-]+(?:\/[\w.-]+)*$/, 'expected path segments joined by single slashes, such as "auth/cloud"')
    .refine(
      (path) => !/^(?:sys|policies|auth\/token)(?:\/|$)/.test(path),
      'must not be sys, policies or auth/token, which are reserved',
    )
    .optional(),
  profile: z.enum(['neutral', 'vault'], { error: 'expected "neutral" or "vault"' }).optional(),
  tokens: tokens.optional(),
  allowSha1Signatures: flag.optional(),
  refuseReplays: flag.optional(),
  maxSignedRequestAgeSeconds: whole('a number of seconds from 1 to 900', 1, 900).optional(),
  trustedProxies: z
    .array(text('an address block').refine(isBlock, 'expected an IP address or a block such as "10.0.0.0/28"'), {
      error: 'expected a list of address blocks',
    })
    .optional(),
  audit: z
    .union([audit, z.array(audit).min(1, 'expected one sink or more')], {
      error: 'expected an object of file, syslog or http, or a list of them',
    })
    .optional(),
  auditNode: text('a name of letters, digits, ".", ":", "_" and "-"')
    .regex(/^[\w.:-]{1,200}$/, 'expected at most 200 letters, digits, ".", ":", "_" and "-"')
    .optional(),
  limits: limits.optional(),
  shutdown: shutdown.optional(),
  workers: z.union([z.literal('auto'), whole(WORKERS, 1, MAX_WORKERS)], { error: `expected ${WORKERS}` }).optional(),
  bodyLimitBytes: whole('a number of bytes from 1024 to 33554432', 1024, 32 * 1024 * 1024).optional(),
  loginRate: rateOrFalse,
  peerRate: rateOrFalse,
  tokenRate: rateOrFalse,
  sharedRates: flag.optional(),
  policies: z.record(z.string().min(1), policy, { error: 'expected an object of policies by name' }).optional(),
  provider: provider.optional(),
  registry: registrySection.optional(),
  metrics: metrics.optional(),
  sealing: sealingMember.optional(),
});

const SECTIONS: Readonly<Record<string, z.ZodObject>> = {
  '': root,
  listen,
  metrics,
  storage: storageSection,
  'storage.postgres': postgresSection,
  'storage.dynamodb': dynamodbSection,
  tokens,
  audit,
  loginRate: rate,
  limits,
  shutdown,
  peerRate: rate,
  tokenRate: rate,
  provider,
  registry: registrySection,
  'registry.limits': registryLimits,
  'registry.quota': registryQuota,
  'registry.rate': registryRate,
};

/** One sink: exactly one of file, syslog and http. */
export type AuditConfig = Readonly<z.infer<typeof audit>>;

/** The file as it was checked; paths in it are made absolute. */
export interface Config extends Readonly<Omit<z.infer<typeof root>, 'storage' | 'audit' | 'sealing'>> {
  readonly storage: StorageConfig;
  readonly sealing: SealingConfig;
  /** Where audit events go: one or more. */
  readonly audit: readonly AuditConfig[];
  /** Folder of the file, which relative paths start from. */
  readonly directory: string;
}

/** @throws ConfigError when the file cannot be read or used. */
export function loadConfig(file: string): Config {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError([`cannot read the file: ${error instanceof Error ? error.message : error}`], file);
  }
  return parseConfig(content, file);
}

/** @throws ConfigError naming every member that is wrong. */
export function parseConfig(content: string, file: string): Config {
  const json = parseStrictJson(content, { maxDepth: 32, refuseDuplicateKeys: true });
  if (!json.ok) throw new ConfigError([`${JSON_PROBLEMS[json.code]}${placeOf(json.code, content)}`], file);
  const parsed = root.safeParse(json.value);
  if (!parsed.success) {
    const membersAt = (path: readonly PropertyKey[]) => Object.keys(SECTIONS[path.join('.')]?.shape ?? {});
    throw new ConfigError(describeIssues(parsed.error.issues, membersAt), file);
  }
  const config = parsed.data;
  const directory = dirname(resolve(file));
  const { defaultTtlSeconds, maxTtlSeconds } = config.tokens ?? {};
  if (defaultTtlSeconds !== undefined && maxTtlSeconds !== undefined && defaultTtlSeconds > maxTtlSeconds) {
    throw new ConfigError(['tokens.defaultTtlSeconds: must not exceed tokens.maxTtlSeconds'], file);
  }
  if (config.storage.file === undefined && config.registry !== undefined && config.registry.archives === undefined) {
    const kind = config.storage.postgres === undefined ? 'dynamodb' : 'postgres';
    throw new ConfigError([`registry.archives: missing; with storage.${kind}, a folder that all nodes share`], file);
  }
  if (config.sharedRates === true && config.storage.postgres === undefined) {
    throw new ConfigError(['sharedRates: only with storage.postgres'], file);
  }
  const { workers = 1 } = config;
  if (workers !== 1 && config.storage.postgres === undefined) {
    const why = 'a database file has one process, and rates are shared through PostgreSQL';
    throw new ConfigError([`workers: only with storage.postgres: ${why}`], file);
  }
  if (workers !== 1 && config.sharedRates === false) {
    throw new ConfigError(['sharedRates: workers always share their rates; leave it out'], file);
  }
  const storage = resolveStorage(config.storage, directory);
  return {
    ...config,
    storage,
    sealing: resolveSealing(config.sealing, storage, directory),
    audit: sinksOf(config.audit).map((sink) => ({
      ...sink,
      ...(sink.file === undefined || sink.file === '-' ? {} : { file: resolve(directory, sink.file) }),
      ...(sink.tokenFile === undefined ? {} : { tokenFile: resolve(directory, sink.tokenFile) }),
    })),
    ...(config.registry?.archives === undefined
      ? {}
      : { registry: { ...config.registry, archives: resolve(directory, config.registry.archives) } }),
    directory,
  };
}

/** How many processes serve. */
export function workersOf({ workers = 1 }: Config): number {
  return workers === 'auto' ? Math.min(availableParallelism(), MAX_WORKERS) : workers;
}

/** Where the server listens. */
export function addressOf({ listen }: Config): { readonly host: string; readonly port: number } {
  const { host = '127.0.0.1', port = DEFAULT_PORT } = listen ?? {};
  return { host, port };
}

/**
 * Names this server among those that share a database (AUDIT-6): it feeds at once what a server of that name left of its events. A
 * database file has one server at a time. Several servers of a host differ by their address; where the port is drawn at each
 * start, there is no name to come back under. Workers have logs of their own (WORKERS-2).
 */
export function auditNodeOf(config: Config, worker?: number): string | undefined {
  const node = nameOf(config);
  return node === undefined || worker === undefined ? node : `${node}:worker-${worker}`;
}

function nameOf(config: Config): string | undefined {
  if (config.auditNode !== undefined) return config.auditNode;
  if (config.storage.file !== undefined) return 'local';
  const { host, port } = addressOf(config);
  return port === 0 ? undefined : `${hostname()}:${host}:${port}`;
}

const JSON_PROBLEMS = {
  json_syntax: 'the file is not valid JSON',
  json_too_deep: 'the file is nested too deeply',
  json_too_many_members: 'the file has too many members',
  json_duplicate_key: 'an object has the same member twice',
  json_forbidden_key: 'a member has a forbidden name',
} as const;

/** Without a sink in the file, events go to the standard output. */
function sinksOf(audit: z.infer<typeof root>['audit']): readonly AuditConfig[] {
  if (audit === undefined) return [{ file: '-' }];
  return Array.isArray(audit) ? audit : [audit];
}

/** Where JSON ends to be JSON, where the parser tells. Its message is not passed on: it quotes the file, secrets included. */
function placeOf(code: keyof typeof JSON_PROBLEMS, content: string): string {
  if (code === 'json_duplicate_key') {
    const member = duplicateMemberOf(content);
    return member === undefined ? '' : `: ${member}`;
  }
  if (code !== 'json_syntax') return '';
  if (content.trim() === '') return ': the file is empty';
  try {
    JSON.parse(content);
  } catch (error) {
    const position = / at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    if (position === undefined) return '';
    const before = content.slice(0, Number(position)).split('\n');
    return `: see line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
  }
  return '';
}

function isBlock(block: string): boolean {
  const [address = '', prefix, ...rest] = block.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}
