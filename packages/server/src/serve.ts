/** `postern serve` and `postern root-token`: the configuration made real. */
import { dirname, join, resolve } from 'node:path';
import type { ArchiveLimits } from '@postern/catalogue';
import { type AuthMethod, createProviderConfiguration, DEFAULT_STORAGE_PREFIX } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import type { Rate } from '@postern/http';
import { RECORD_FORMAT } from '@postern/kernel';
import { systemClock } from '@postern/ports';
import type { PostgresRates } from '@postern/storage-postgres';
import { createAuditStream, openAuditFile } from './audit/audit-file.js';
import type { ClosableAuditSink } from './audit/audit-lines.js';
import { createHttpSink, createSyslogSink } from './audit/remote-sinks.js';
import { type AuditConfig, addressOf, auditNodeOf, type Config, loadConfig } from './config/config.js';
import { ConfigError } from './config/config-error.js';
import { checkPermissions, type TrustedPath } from './config/file-permissions.js';
import {
  createServer,
  createServerMethod,
  type MethodOptions,
  openOutbox,
  type PosternServer,
} from './create-server.js';
import { describeError, type Log, type LogFacts } from './log.js';
import { createMetrics, type Metrics } from './metrics/metrics.js';
import { listenForMetrics, type MetricsListener } from './metrics/metrics-listener.js';
import { endOnSignals, endOnUncaught, logProcessWarnings } from './process-end.js';
import { createAws, loadProvider, type Provider } from './provider.js';
import type { RegistryConfig } from './registry/registry-config.js';
import { resealRegistryKeys } from './registry/registry-keys.js';
import type { OpenRegistry } from './registry/served-registry.js';
import { anotherRootToken, firstRootToken, rootTokenNotice, rootTokenRights } from './root-token.js';
import { openSealing, type ServerSealing } from './sealing/open-sealing.js';
import { forSetting, StartError } from './start-error.js';
import { openRates, openStorage } from './storage/open-storage.js';
import { finalizeStorageFormat, openStorageFormat, type StorageFormat } from './storage/storage-format.js';
import { type Terminal, terminalLog } from './terminal.js';
import { VERSION } from './version.js';

/** Runs until a signal ends it. @throws ConfigError, SqliteOpenError, StartError. */
export async function serve(configFile: string, terminal: Terminal): Promise<void> {
  const log = terminalLog(terminal);
  endOnUncaught(log);
  logProcessWarnings(log);
  const config = loadTrusted(configFile, log);
  const parts = await openParts(config, log);
  try {
    const provider = await makeProvider(config, parts);
    const metrics = config.metrics && (await createMetrics());
    const starting = createServer({
      ...methodOptions(config, parts, provider),
      ...addressOf(config),
      trustedProxies: config.trustedProxies ?? [],
      ...(config.bodyLimitBytes === undefined ? {} : { bodyLimitBytes: config.bodyLimitBytes }),
      ...(config.limits === undefined ? {} : { limits: config.limits }),
      loginRate: rateOf(config.loginRate),
      peerRate: rateOf(config.peerRate),
      tokenRate: rateOf(config.tokenRate),
      refusal: parts.format.refusal,
      rateExchange: parts.rates,
      ...(config.registry === undefined ? {} : { registry: await registryOf(config, config.registry, parts) }),
      ...(metrics === undefined ? {} : { metrics }),
      log,
    });
    const server = await forSetting('listen.host, listen.port', starting);
    parts.format.watch(log);
    const figures = await listenForFigures(config, metrics);
    endOnSignals(async () => {
      await server.close(undefined, (config.shutdown?.delaySeconds ?? 0) * 1000);
      await figures?.close();
      await provider.close?.();
      await parts.close();
      log('info', 'stopped');
    }, log);
    onHangUp(configFile, server.method, parts.audit, log);
    await server.logWarnings();
    warnOfOlderFormat(parts.format, configFile, log);
    const token = await firstRootToken(parts.storage, server.method, systemClock);
    if (token !== undefined) terminal.printError(rootTokenNotice(token));
    else log('info', `a root token exists; "postern root-token --config ${configFile}" creates another`);
    log('info', 'listening', {
      url: server.url,
      mount: `/v1/${server.method.mountPath}`,
      version: VERSION,
      ...registryFacts(config, server),
      ...(figures === undefined ? {} : { metrics: figures.url }),
    });
  } catch (error) {
    await parts.close();
    throw error;
  }
}

/**
 * On SIGHUP the server reads its policies again, and reopens the audit log where that is a file that was renamed for
 * rotation. Nothing else of the configuration changes before the next start.
 */
function onHangUp(configFile: string, method: AuthMethod, audit: readonly ClosableAuditSink[], log: Log): void {
  process.on('SIGHUP', () => {
    try {
      method.configurePolicies(loadTrusted(configFile, log).policies ?? {});
      log('info', 'policies read from the configuration');
    } catch (error) {
      const problem = error instanceof StartError || error instanceof ConfigError ? { problem: error.message } : {};
      log('error', 'could not reload the policies; those before stay in force', {
        ...problem,
        ...describeError(error),
      });
    }
    Promise.all(audit.map((sink) => sink.reopen())).then(
      () => log('info', 'audit log reopened'),
      (error: unknown) => log('error', 'could not reopen the audit log', describeError(error)),
    );
  });
}

async function listenForFigures(config: Config, metrics: Metrics | undefined): Promise<MetricsListener | undefined> {
  if (config.metrics === undefined || metrics === undefined) return undefined;
  const { host = '127.0.0.1', port } = config.metrics;
  return forSetting('metrics.host, metrics.port', listenForMetrics(metrics, { host, port }));
}

/** The operator's own module where one is named, else AWS. */
async function makeProvider({ provider, directory }: Config, { storage, sealing }: Parts): Promise<Provider> {
  const { keyWrapper = [] } = sealing;
  const configuration = createProviderConfiguration(storage, DEFAULT_STORAGE_PREFIX, {
    crypto: createNodeCrypto(),
    keyWrapper,
  });
  if (provider === undefined) return createAws(storage, process.env, configuration);
  return loadProvider(provider, { directory, configuration });
}

/** At the start and at every reload. @throws ConfigError; StartError where every user may write what it trusts. */
function loadTrusted(configFile: string, log: Log): Config {
  const config = loadConfig(configFile);
  for (const warning of checkPermissions(trustedFiles(config, configFile), trustedFolders(config)))
    log('warning', warning);
  return config;
}

function trustedFiles({ provider, directory }: Config, configFile: string): readonly TrustedPath[] {
  const module = provider && { setting: 'provider.module', path: resolve(directory, provider.module) };
  return [{ setting: '--config', path: resolve(configFile) }, ...(module === undefined ? [] : [module])];
}

function trustedFolders({ storage, audit, sealing, registry }: Config): readonly TrustedPath[] {
  const keyFiles = sealing === 'none' ? [] : sealing.flatMap(({ keyFile }) => keyFile ?? []);
  return [
    ...keyFiles.map((file) => ({ setting: 'sealing.keyFile', path: dirname(file) })),
    ...(registry?.archives === undefined ? [] : [{ setting: 'registry.archives', path: registry.archives }]),
    ...(storage.file === undefined ? [] : [{ setting: 'storage.file', path: dirname(storage.file) }]),
    ...audit.flatMap(({ file }) =>
      file === undefined || file === '-' ? [] : [{ setting: 'audit.file', path: dirname(file) }],
    ),
  ];
}

/** Members that are not in the file keep their defaults. */
function rateOf(rate: Config['loginRate'] = {}): Rate | undefined {
  if (rate === false) return undefined;
  const { perSecond, burst } = rate;
  return { ...(perSecond === undefined ? {} : { perSecond }), ...(burst === undefined ? {} : { burst }) };
}

/**
 * Archives lie beside a database file unless the configuration says where; for several nodes it must. A file has one owner,
 * so that nobody else publishes; a database may have many.
 */
async function registryOf(config: Config, { rate, ...registry }: RegistryConfig, parts: Parts): Promise<OpenRegistry> {
  // Loaded here: with its page, archives and catalogue it is a tenth of the start of a server that has none.
  const { hostedRegistry } = await import('./registry/hosted-registry.js');
  return hostedRegistry({
    ...registry,
    archives: registry.archives ?? join(dirname(config.storage.file ?? config.directory), 'archives'),
    limits: limitsOf(registry.limits),
    rate: rateOf(rate) ?? false,
    storage: parts.storage,
    recordFormat: parts.format.current,
    sealer: parts.sealing.sealer,
    isAlone: config.storage.file !== undefined,
  });
}

/** Members that are not in the file keep their defaults. */
function limitsOf(limits: RegistryConfig['limits'] = {}): Partial<ArchiveLimits> {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}

/** Where clients find the registry. */
function registryFacts(config: Config, server: PosternServer): LogFacts {
  if (config.registry === undefined) return {};
  const { publicUrl = server.url } = config.registry;
  const at = publicUrl.replace(/\/+$/, '');
  const { registryPagePath: path } = server;
  return { registry: `${at}/api/registry/v1/modules/`, ...(path === undefined ? {} : { page: `${at}${path}` }) };
}

/**
 * Prints another root token. A server on a database file must be stopped for it: the file has one owner.
 *
 * @param expiresInSeconds undefined: the token never expires.
 */
export async function printRootToken(
  configFile: string,
  expiresInSeconds: number | undefined,
  { printError, printOut }: Terminal,
): Promise<void> {
  const config = loadConfig(configFile);
  const parts = await openParts(config);
  const options = methodOptions(config, parts, NO_CLOUD);
  const outbox = openOutbox(options);
  try {
    const method = await createServerMethod(options, outbox);
    const expiresAt = expiresInSeconds === undefined ? undefined : systemClock.now() + expiresInSeconds * 1000;
    const token = await anotherRootToken(parts.storage, method, systemClock, expiresInSeconds);
    printError(`Root token, shown once and not stored. ${rootTokenRights(expiresAt)}:\n`);
    printOut(`${token}\n`);
  } finally {
    await outbox.close();
    await parts.close();
  }
}

function warnOfOlderFormat(format: StorageFormat, configFile: string, log: Log): void {
  if (format.current() === RECORD_FORMAT) return;
  const remedy = `once every node runs this version, run "postern storage finalize --config ${configFile}"`;
  log('warning', `records are written as older versions read them, format ${format.current()}; ${remedy}`);
}

/** Ends a rolling upgrade. A server on a database file must be stopped for it: the file has one owner. */
export async function finalizeStorage(configFile: string, { printOut }: Terminal): Promise<void> {
  const storage = await openStorage(loadConfig(configFile).storage);
  try {
    printOut(`storage format: ${await finalizeStorageFormat(storage)}\n`);
  } finally {
    await storage.close();
  }
}

interface Parts {
  readonly storage: MethodOptions['storage'];
  readonly format: StorageFormat;
  readonly sealing: ServerSealing;
  readonly audit: readonly ClosableAuditSink[];
  readonly rates: PostgresRates | undefined;
  close(): Promise<void>;
}

/** The storage first: while it cannot be had nothing else is touched. */
async function openParts(config: Config, log?: Log): Promise<Parts> {
  const storage = await openStorage(config.storage, log);
  try {
    const format = await openStorageFormat(storage);
    const sealing = await openSealing(config.sealing, storage, format.current, log);
    const audit = await Promise.all(config.audit.map(openSink));
    const { postgres } = config.storage;
    const rates = config.sharedRates === true && postgres !== undefined ? await openRates(postgres) : undefined;
    return {
      storage,
      format,
      sealing,
      audit,
      rates,
      // The trail last: what the storage still finishes may have something to say.
      close: async () => {
        format.stop();
        await rates?.close();
        await storage.close();
        await Promise.all(audit.map((sink) => sink.close()));
      },
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function openSink({ file, syslog, http, tokenFile }: AuditConfig): Promise<ClosableAuditSink> {
  if (syslog !== undefined) return createSyslogSink(syslog);
  if (http !== undefined) return createHttpSink({ url: http, tokenFile });
  if (file === undefined || file === '-') return createAuditStream(process.stdout);
  return forSetting('audit.file', openAuditFile(file));
}

function methodOptions(config: Config, parts: Parts, provider: Provider): MethodOptions {
  const { keyWrapper, sealer } = parts.sealing;
  const { defaultTtlSeconds, maxTtlSeconds } = config.tokens ?? {};
  const auditNode = auditNodeOf(config);
  return {
    storage: parts.storage,
    audit: parts.audit,
    ...(auditNode === undefined ? {} : { auditNode }),
    provider,
    ...(keyWrapper === undefined ? {} : { keyWrapper }),
    profile: config.profile ?? 'neutral',
    auth: {
      recordFormat: parts.format.current,
      onRewrap: () => resealRegistryKeys(parts.storage, sealer, parts.format.current),
      allowSha1Signatures: config.allowSha1Signatures ?? false,
      refuseReplays: config.refuseReplays ?? false,
      ...(config.maxSignedRequestAgeSeconds === undefined
        ? {}
        : { maxSignedRequestAgeSeconds: config.maxSignedRequestAgeSeconds }),
      policies: config.policies ?? {},
      ...(config.mountPath === undefined ? {} : { mountPath: config.mountPath }),
      ...(defaultTtlSeconds === undefined ? {} : { defaultTtlSeconds }),
      ...(maxTtlSeconds === undefined ? {} : { maxTtlSeconds }),
    },
  };
}

/** Making a root token asks the cloud nothing. */
const NO_CLOUD: Provider = {
  describeInstance: async () => undefined,
  rolesOfProfile: async () => undefined,
  describePrincipal: async () => undefined,
};
