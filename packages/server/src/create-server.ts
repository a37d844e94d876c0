/** Puts the parts together: storage, cloud, keys, audit and HTTP. What `postern serve` runs, for embedding in a program. */
import { type AuthMethod, type AuthOptions, type AuthPorts, createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import {
  createBodyBudget,
  createHttpApp,
  type ProfileName,
  type RateOptions,
  type RegistryHttpOptions,
  WIRE_PROFILES,
} from '@postern/http';
import { type AuditOutbox, createAuditOutbox } from '@postern/kernel';
import {
  type AuditSink,
  type Authorizer,
  type Clock,
  type ClockGuard,
  type RateExchange,
  type Storage,
  systemClock,
} from '@postern/ports';
import { type AuditWatch, watchAudit } from './audit/audit-watch.js';
import { createFailureLog } from './failure-log.js';
import { checkHealth, createMethodWarnings } from './health.js';
import type { Log } from './log.js';
import type { Metrics } from './metrics/metrics.js';
import { connectionSignal, listen, type NodeRequestInfo, urlAt } from './network/listener.js';
import { createPeerAddressReader, createProxyCheck, wideBlocks } from './network/peer-address.js';
import { startRates } from './network/rates.js';
import { readNodeBody } from './network/request-body.js';
import type { Provider } from './provider.js';
import type { OpenRegistry, RegistrySurroundings, ServedRegistry } from './registry/served-registry.js';
import { REGISTRY_POLICY_PATHS } from './registry/token-authorizer.js';
import { watchClock } from './storage/clock-watch.js';
import { type Refusal, watchReadiness } from './storage/readiness.js';
import { startTidyTimer } from './tidy-timer.js';
import { VERSION } from './version.js';

/** Parts of an auth method. */
export interface MethodOptions {
  readonly storage: Storage;
  readonly provider: Provider;
  /** One sink or several. Each gets every event; one that fails does not hold up the others. */
  readonly audit: AuditSink | readonly AuditSink[];
  /**
   * Names this process among those that share the storage: what it left of its audit events is fed at its next start.
   * Default: random; then other processes feed it, five minutes after this one ended.
   */
  readonly auditNode?: string;
  /** Decides management calls in the place of the policies in `auth.policies` and those stored by API. */
  readonly authorizer?: Authorizer;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Compares the clock with that of the storage (TIDY-11). `createServer` makes its own. */
  readonly clockGuard?: ClockGuard;
  /** Protects the secrets in storage (STORE-4). Default: none, and a warning. */
  readonly keyWrapper?: AuthPorts['keyWrapper'];
  /** Names on the wire, and the default mount path with them. Default `neutral`. */
  readonly profile?: ProfileName;
  /** Mount path, lifetimes and the like. */
  readonly auth?: AuthOptions;
}

export interface ServerOptions extends MethodOptions, RateOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Addresses and blocks whose `X-Forwarded-For` counts (TOKEN-5). Default none. */
  readonly trustedProxies?: readonly string[];
  /** Default 128 KiB. */
  readonly bodyLimitBytes?: number;
  /** Bounds on what all clients, and one of them, may take at the same time. */
  readonly limits?: ServerLimits;
  /** The module registry beside the auth method: `hostedRegistry(…)`, or one of your own. Default: no registry. */
  readonly registry?: RegistryHttpOptions | OpenRegistry;
  /** Shares the rates with other servers, in place of `rateLimiter` (WIRE-29): `openPostgresRates(…)`. Who opened it closes it. */
  readonly rateExchange?: RateExchange | undefined;
  /** Default true. `false` where another process tidies the same storage: this one only feeds its audit events. */
  readonly periodicTidy?: boolean | undefined;
  /** Asked at each check of readiness: why the host would have it do no work, with a code (WIRE-23). Default: nothing. */
  readonly refusal?: () => Refusal | undefined;
  /** Default: no log. */
  readonly log?: Log;
  /** Counts and times what the server does, for `listenForMetrics` or a route of your own. */
  readonly metrics?: Metrics;
}

/** Beyond them requests are answered 503 with `Retry-After`, unread. One peer of IPv6 is a /64. */
export interface ServerLimits {
  /** Connections open. Default 5,000. */
  readonly connections?: number | undefined;
  /** Connections of one address that is no trusted proxy. Default 500. */
  readonly connectionsPerPeer?: number | undefined;
  /** Bytes of bodies that requests in progress hold, archives apart. Default 16 MiB. */
  readonly bodyBytes?: number | undefined;
  /** The same of one peer. Default 4 MiB. */
  readonly bodyBytesPerPeer?: number | undefined;
}

export interface PosternServer {
  /** `http://127.0.0.1:8200` */
  readonly url: string;
  readonly method: AuthMethod;
  /** Where the registry's page hangs, where there is one: `/registry`. */
  readonly registryPagePath: string | undefined;
  /** Logs what the method warns of. The first call to health does so too, and each warning is logged once. */
  logWarnings(): Promise<void>;
  /**
   * Reports in health that the server is not ready, and ends each connection with its next answer, for `delayMs` (default 0): time for
   * load balancers to stop sending. Then stops accepting and waits for requests in flight, then for tidying to end at its next page; each at most `graceMs`
   * (default 10,000). Closes neither the storage nor the audit sink: who made them closes them.
   */
  close(graceMs?: number, delayMs?: number): Promise<void>;
}

const DEFAULT_GRACE_MS = 10_000;

/** The auth method on Node's cryptography and the given ports. */
export async function createServerMethod(
  options: MethodOptions,
  audit: AuditOutbox = openOutbox(options),
): Promise<AuthMethod> {
  const { provider, storage, clock = systemClock, clockGuard, authorizer, keyWrapper } = options;
  const ports: AuthPorts = {
    storage,
    clock,
    crypto: createNodeCrypto(),
    cloud: provider,
    audit,
    ...(clockGuard === undefined ? {} : { clockGuard }),
    ...(authorizer === undefined ? {} : { authorizer }),
    ...(keyWrapper === undefined ? {} : { keyWrapper }),
  };
  const { defaultMountPath, serverIdHeader } = WIRE_PROFILES[options.profile ?? 'neutral'];
  const auth: AuthOptions = {
    mountPath: defaultMountPath,
    iamServerIdHeaderName: serverIdHeader,
    ...(provider.builtInCertificates === undefined ? {} : { builtInCertificates: provider.builtInCertificates }),
    ...(provider.onProviderConfigChange === undefined
      ? {}
      : { onProviderConfigChange: provider.onProviderConfigChange.bind(provider) }),
    ...options.auth,
    policyPaths: [...REGISTRY_POLICY_PATHS, ...(options.auth?.policyPaths ?? [])],
  };
  if (auth.builtInCertificates !== undefined) {
    // The method parses the list at the first login: an unusable one shall stop the start, and nothing else loads the parser here.
    const { trustBuiltIn } = await import('@postern/core-auth/verify');
    trustBuiltIn(auth.builtInCertificates);
  }
  return createAuthMethod(ports, auth);
}

/**
 * Starts a server.
 *
 * @throws the error of `listen` where the address is taken or not on this machine; TypeError for invalid options.
 * @example
 * ```ts
 * const storage = await openSqliteStorage({ file: 'postern.db' });
 * const audit = await openAuditFile('audit.log');
 * const server = await createServer({ storage, audit, provider: aws, port: 8200 });
 * ```
 */
export async function createServer(options: ServerOptions): Promise<PosternServer> {
  const { clock = systemClock, log = () => undefined, metrics } = options;
  const outbox = openOutbox(options, metrics);
  const names = sinksOf(options).map(nameOf);
  metrics?.observeAudit(outbox.states, names);
  const begun: Begun = { outbox, auditWatch: watchAudit(outbox, names, clock, log), stops: [] };
  try {
    return await start(options, begun);
  } catch (error) {
    await end(begun, 0).catch(() => undefined);
    throw error;
  }
}

/** What runs from the start of a server to its end, or until the start fails. */
interface Begun {
  readonly outbox: AuditOutbox;
  readonly auditWatch: AuditWatch;
  readonly stops: ((graceMs: number) => void | Promise<void>)[];
}

/** The outbox last: what stops may have events. */
async function end({ outbox, auditWatch, stops }: Begun, graceMs: number): Promise<void> {
  await Promise.all(stops.map((stop) => stop(graceMs)));
  auditWatch.stop();
  await outbox.close();
}

async function start(options: ServerOptions, begun: Begun): Promise<PosternServer> {
  const { storage, clock = systemClock, log = () => undefined, metrics } = options;
  const { outbox, auditWatch, stops } = begun;
  const clockWatch = watchClock(storage, clock, log);
  stops.push(() => clockWatch.stop());
  // Logins begin once it is known whether this clock can be trusted; a storage that is down shows elsewhere.
  await clockWatch.guard?.measure();
  const readiness = watchReadiness(storage, clock, log, () => clockWatch.refusal() ?? options.refusal?.());
  stops.push(() => readiness.stop());
  metrics?.observeNode({ readiness: readiness.last, clockSkewMs: () => clockWatch.guard?.skewMs() });
  await readiness.check();
  const method = await createServerMethod(
    {
      ...options,
      ...(clockWatch.guard === undefined ? {} : { clockGuard: clockWatch.guard }),
      provider: metrics?.observeProvider(options.provider) ?? options.provider,
    },
    outbox,
  );
  // What the last process left comes first. A storage that is down shows elsewhere, and the timer of tidying feeds again.
  await outbox.feed().catch(() => undefined);
  const { trustedProxies = [], limits = {} } = options;
  for (const block of wideBlocks(trustedProxies)) {
    log('warning', 'a wide block of trusted proxies: every host in it can forge the address of its callers', { block });
  }
  const isProxy = createProxyCheck(trustedProxies);
  const connection = {
    peerAddress: createPeerAddressReader(isProxy),
    readBody: readNodeBody,
    signal: connectionSignal,
    bodyBudget: createBodyBudget({ totalBytes: limits.bodyBytes, peerBytes: limits.bodyBytesPerPeer }),
  };
  const methodWarnings = createMethodWarnings(method, log);
  // One for all parts: each peer has one count of its logins, wherever it makes them.
  const { rates, stop: stopRates } = startRates(options, clock, log);
  stops.push(stopRates);
  const registry = await openRegistry(options.registry, {
    ...connection,
    ...rates,
    method,
    clock,
    crypto: createNodeCrypto(),
    log,
    storage,
    audit: outbox,
  });
  stops.push((graceMs) => registry?.close?.(graceMs));
  const failures = createFailureLog(log);
  stops.push(() => failures.stop());
  const app = createHttpApp<NodeRequestInfo>({
    ...connection,
    method,
    onUpload: (_request, { acceptUpload }) => acceptUpload(),
    profile: options.profile ?? 'neutral',
    ...(options.bodyLimitBytes === undefined ? {} : { bodyLimitBytes: options.bodyLimitBytes }),
    ...rates,
    ...(registry === undefined ? {} : { registry: registry.http }),
    ...(registry?.page === undefined ? {} : { registryPage: registry.page }),
    clock,
    version: VERSION,
    health: async () => ({
      ...(await checkHealth(storage, clock, methodWarnings, registry, clockWatch, auditWatch)),
      readiness: readiness.last(),
    }),
    readiness: readiness.check,
    onError: failures.unexpected,
    onUnavailable: failures.unavailable,
  });
  const listener = await listen(metrics?.observeRequests(app.fetch) ?? app.fetch, {
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    connections: { total: limits.connections, perPeer: limits.connectionsPerPeer, isProxy },
  });
  const isTidier = options.periodicTidy !== false;
  const feeder = { runPeriodicTidy: () => method.feedAudit(), close: () => method.close() };
  const tidying = startTidyTimer(isTidier ? method : feeder, log);
  stops.push((graceMs) => tidying.stop(graceMs));
  return {
    url: urlAt(listener.host, listener.port),
    method,
    registryPagePath: registry?.page?.path,
    logWarnings: async () => void (await methodWarnings()),
    async close(graceMs = DEFAULT_GRACE_MS, delayMs = 0) {
      readiness.drain();
      listener.drain();
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      await listener.close(graceMs);
      await end(begun, graceMs);
    },
  };
}

function sinksOf({ audit }: Pick<MethodOptions, 'audit'>): readonly AuditSink[] {
  return 'record' in audit ? [audit] : audit;
}

function nameOf(sink: AuditSink, at: number): string {
  return 'name' in sink && typeof sink.name === 'string' ? sink.name : `audit ${at + 1}`;
}

/** One for method and registry: their events have one order. Who opens it closes it. Events are counted once, where the first sink records them. */
export function openOutbox(options: MethodOptions, metrics?: Metrics): AuditOutbox {
  const { storage, clock, auditNode } = options;
  const sinks = sinksOf(options).map((sink, at) =>
    at === 0 && metrics !== undefined ? metrics.countEvents(sink) : sink,
  );
  return createAuditOutbox({
    storage,
    clock,
    random: createNodeCrypto(),
    sinks,
    prefix: 'postern/audit/',
    node: auditNode,
  });
}

async function openRegistry(
  registry: ServerOptions['registry'],
  surroundings: RegistrySurroundings,
): Promise<ServedRegistry | undefined> {
  return typeof registry === 'function' ? registry(surroundings) : registry && { http: registry };
}
