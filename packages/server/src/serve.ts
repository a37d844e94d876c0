/** `postern serve` and `postern root-token`: the configuration made real. */
import { dirname, join } from 'node:path';
import type { ArchiveLimits } from '@postern/catalogue';
import { type AuthMethod, createProviderConfiguration, DEFAULT_STORAGE_PREFIX } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import type { Rate } from '@postern/http';
import { RECORD_FORMAT } from '@postern/kernel';
import { systemClock } from '@postern/ports';
import type { PostgresRates } from '@postern/storage-postgres';
import type { ClosableAuditSink } from './audit/audit-lines.js';
import { openSinks, reopenSinks, sinkName } from './audit/open-sinks.js';
import { addressOf, auditNodeOf, type Config, loadConfig, workersOf } from './config/config.js';
import { ConfigError } from './config/config-error.js';
import { loadTrusted } from './config/trusted-config.js';
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
import { endOnSignals, endOnUncaught, endWithServer, logProcessWarnings } from './process-end.js';
import { createAws, loadProvider, type Provider } from './provider.js';
import type { RegistryConfig } from './registry/registry-config.js';
import { resealRegistryKeys } from './registry/registry-keys.js';
import type { OpenRegistry } from './registry/served-registry.js';
import { anotherRootToken, firstRootToken, rootTokenNotice, rootTokenRights } from './root-token.js';
import { openSealing, type ServerSealing } from './sealing/open-sealing.js';
import { forSetting, StartError } from './start-error.js';
import { finalizeSchema, openRates, openStorage } from './storage/open-storage.js';
import { finalizeStorageFormat, openStorageFormat, type StorageFormat } from './storage/storage-format.js';
import { type Terminal, terminalLog } from './terminal.js';
import { VERSION } from './version.js';
import { type WorkerLink, workerLink } from './workers/worker-link.js';

/** Runs until a signal ends it, or as a worker until its server does. @throws ConfigError, SqliteOpenError, StartError. */
export async function serve(configFile: string, terminal: Terminal): Promise<void> {
  const link = workerLink();
  const log = logOf(terminal, link);
  endOnUncaught(log);
  logProcessWarnings(log);
  // The server that started a worker tells what it warns of.
  const configLog = link === undefined ? log : () => undefined;
  const config = loadTrusted(configFile, configLog);
  if (link === undefined && workersOf(config) > 1) {
    const { serveByWorkers } = await import('./workers/serve-by-workers.js');
    return serveByWorkers(config, configFile, log);
  }
  const parts = await openParts(config, log, link);
  try {
    const provider = await makeProvider(config, parts);
    // One worker of a server is enough (WORKERS-3).
    const isPeriodic = (link?.number ?? 1) === 1;
    const metrics = config.metrics && (await createMetrics());
    const starting = createServer({
      ...methodOptions(config, parts, provider, link?.number),
      ...addressOf(config),
      trustedProxies: config.trustedProxies ?? [],
      ...(config.bodyLimitBytes === undefined ? {} : { bodyLimitBytes: config.bodyLimitBytes }),
      ...(config.limits === undefined ? {} : { limits: config.limits }),
      loginRate: rateOf(config.loginRate),
      peerRate: rateOf(config.peerRate),
      tokenRate: rateOf(config.tokenRate),
      refusal: parts.format.refusal,
      rateExchange: parts.rates,
      periodicTidy: isPeriodic,
      ...(config.registry === undefined
        ? {}
        : { registry: await registryOf(config, config.registry, parts, isPeriodic) }),
      ...(metrics === undefined ? {} : { metrics }),
      log,
    });
    const server = await forSetting('listen.host, listen.port', starting);
    parts.format.watch(log);
    const figures = link === undefined ? await listenForFigures(config, metrics) : undefined;
    const stop = async () => {
      await server.close(undefined, (config.shutdown?.delaySeconds ?? 0) * 1000);
      await figures?.close();
      await provider.close?.();
      await parts.close();
      log('info', 'stopped');
    };
    const reload = () => reloadPolicies(server.method, () => loadTrusted(configFile, configLog), log);
    if (link === undefined) {
      endOnSignals(stop, log);
      process.on('SIGHUP', () => {
        reload();
        void reopenSinks(parts.audit, log);
      });
    } else {
      endWithServer(stop, log, link.onStop);
      link.onReload(reload);
      // Where a signal reaches all processes of a service, the server sends its own besides.
      process.on('SIGHUP', () => undefined);
      link.onFigures(async () => (await metrics?.values()) ?? []);
    }
    await server.logWarnings();
    warnOfOlderFormat(parts.format, configFile, log);
    const token = await firstRootToken(parts.storage, server.method, systemClock);
    if (token !== undefined) terminal.printError(rootTokenNotice(token));
    else log('info', `a root token exists; "postern root-token --config ${configFile}" creates another`);
    const facts = {
      url: server.url,
      mount: `/v1/${server.method.mountPath}`,
      version: VERSION,
      ...registryFacts(config, server),
      ...(figures === undefined ? {} : { metrics: figures.url }),
    };
    if (link === undefined) log('info', 'listening', facts);
    else link.listening(facts);
  } catch (error) {
    await parts.close();
    throw error;
  }
}

function logOf(terminal: Terminal, link: WorkerLink | undefined): Log {
  const log = terminalLog(terminal);
  if (link === undefined) return log;
  return (level, message, facts) => log(level, message, { worker: link.number, ...facts });
}

/** On SIGHUP, which also reopens the audit log. Nothing else of the configuration changes before the next start. */
function reloadPolicies(method: AuthMethod, load: () => Config, log: Log): void {
  try {
    method.configurePolicies(load().policies ?? {});
    log('info', 'policies read from the configuration');
  } catch (error) {
    const problem = error instanceof StartError || error instanceof ConfigError ? { problem: error.message } : {};
    log('error', 'could not reload the policies; those before stay in force', { ...problem, ...describeError(error) });
  }
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
async function registryOf(
  config: Config,
  { rate, ...registry }: RegistryConfig,
  parts: Parts,
  sweeps: boolean,
): Promise<OpenRegistry> {
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
    sweeps,
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
  const config = loadConfig(configFile).storage;
  const storage = await openStorage(config);
  try {
    const format = await finalizeStorageFormat(storage);
    await finalizeSchema(config);
    printOut(`storage format: ${format}\n`);
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
async function openParts(config: Config, log?: Log, link?: WorkerLink): Promise<Parts> {
  const storage = await openStorage(config.storage, log);
  try {
    const format = await openStorageFormat(storage);
    const sealing = await openSealing(config.sealing, storage, format.current, log);
    const audit =
      link === undefined
        ? await openSinks(config.audit)
        : config.audit.map((sink, place) => link.sink(place, sinkName(sink)));
    const { postgres } = config.storage;
    const sharesRates = config.sharedRates === true || link !== undefined;
    const rates = sharesRates && postgres !== undefined ? await openRates(postgres) : undefined;
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

function methodOptions(config: Config, parts: Parts, provider: Provider, worker?: number): MethodOptions {
  const { keyWrapper, sealer } = parts.sealing;
  const { defaultTtlSeconds, maxTtlSeconds } = config.tokens ?? {};
  const auditNode = auditNodeOf(config, worker);
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
