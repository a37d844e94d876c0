/**
 * Figures of a running server in Prometheus' text format. Labels hold names that this code knows: operations, codes,
 * statuses. Nothing of a request becomes one, so that no caller makes series without end, and no secret is a label.
 */
import type { SinkState } from '@postern/kernel';
import type { AuditEvent, AuditSink } from '@postern/ports';
import type { Provider } from '../provider.js';
import type { Readiness } from '../storage/readiness.js';
import { VERSION } from '../version.js';
import { observeProvider } from './observe-provider.js';

export interface Metrics {
  /** Counts every event that the sink recorded. */
  countEvents(sink: AuditSink): AuditSink;
  /** What waits for each sink, and for how long it has failed. */
  observeAudit(states: () => readonly SinkState[], names: readonly string[]): void;
  /** Times every call to the cloud. */
  observeProvider(provider: Provider): Provider;
  /** Times every request until its answer begins. */
  observeRequests<Info>(fetch: FetchWith<Info>): FetchWith<Info>;
  /** Shows whether the server is ready, and how far its clock is off. */
  observeNode(node: NodeState): void;
  /** Shows whether rates are shared with other servers. */
  observeRates(areShared: () => boolean): void;
  readonly contentType: string;
  /** All figures as they are now. */
  text(): Promise<string>;
  /** The same for `mergeFigures`. */
  values(): Promise<readonly object[]>;
}

/** Asked at each reading of the figures. */
export interface NodeState {
  readonly readiness: () => Readiness;
  /** Undefined while it is not known, and where the storage has no clock. */
  readonly clockSkewMs: () => number | undefined;
}

type FetchWith<Info> = (request: Request, info: Info) => Promise<Response>;

/** Seconds. A login is some milliseconds, or what the cloud takes; an upload may be minutes. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];
const PROVIDER_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

const PAGE_PATH = '/registry';

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'LIST']);

/**
 * One set of figures for one server.
 *
 * @example
 * ```ts
 * const metrics = await createMetrics();
 * const server = await createServer({ storage, audit, provider, metrics });
 * const { url } = await listenForMetrics(metrics, { host: '127.0.0.1', port: 9464 });
 * ```
 */
export async function createMetrics(): Promise<Metrics> {
  // Loaded here: a server without figures never pays for it.
  const { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } = await import('prom-client');
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  // Gauges whose names end as those of counters do, which `promtool check metrics` rejects. The same by type stays.
  for (const name of MISNAMED) register.removeSingleMetric(name);
  new Gauge({
    name: 'postern_build_info',
    help: 'Always 1',
    labelNames: ['version'],
    aggregator: 'first',
    registers,
  }).set({ version: VERSION }, 1);
  const requests = new Histogram({
    name: 'postern_http_request_duration_seconds',
    help: 'Requests, until their answer begins',
    labelNames: ['part', 'method', 'status'],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  const events = new Counter({
    name: 'postern_audit_events_total',
    help: 'Events of the audit trail: operations by what came of them',
    labelNames: ['operation', 'outcome', 'code'],
    registers,
  });
  const calls = new Histogram({
    name: 'postern_provider_call_duration_seconds',
    help: 'Calls to the cloud, those that were answered together counted one by one',
    labelNames: ['call', 'outcome'],
    buckets: PROVIDER_BUCKETS,
    registers,
  });
  return {
    countEvents(sink) {
      const count = ({ operation, outcome, code = '' }: AuditEvent) => events.inc({ operation, outcome, code });
      return {
        async record(event) {
          await sink.record(event);
          count(event);
        },
        ...(sink.recordAll === undefined
          ? {}
          : {
              async recordAll(all, texts) {
                await sink.recordAll?.(all, texts);
                for (const event of all) count(event);
              },
            }),
      };
    },
    observeAudit(states, names) {
      const gauge = (name: string, help: string, aggregator: 'sum' | 'max', figureOf: (state: SinkState) => number) =>
        new Gauge({
          name,
          help,
          aggregator,
          labelNames: ['sink'],
          registers,
          collect() {
            for (const [at, state] of states().entries()) this.set({ sink: names[at] ?? '' }, figureOf(state));
          },
        });
      gauge(
        'postern_audit_waiting_events',
        'Audit events that the sink has not recorded yet',
        'sum',
        ({ waiting }) => waiting,
      );
      gauge(
        'postern_audit_trouble_seconds',
        'For how long the sink has failed or not answered',
        'max',
        ({ troubledSince }) => (troubledSince === undefined ? 0 : Math.max(0, Date.now() - troubledSince) / 1000),
      );
    },
    observeProvider: (provider) =>
      observeProvider(provider, (call, outcome, seconds) => calls.observe({ call, outcome }, seconds)),
    observeRequests: (fetch) => async (request, info) => {
      const startedAt = performance.now();
      const method = METHODS.has(request.method) ? request.method : 'other';
      const part = partOf(new URL(request.url).pathname);
      const response = await fetch(request, info);
      requests.observe({ part, method, status: response.status }, (performance.now() - startedAt) / 1000);
      return response;
    },
    observeNode({ readiness, clockSkewMs }) {
      new Gauge({
        name: 'postern_ready',
        help: '1 while the server can do its work; else 0, by the code of what is in the way',
        labelNames: ['code'],
        aggregator: 'min',
        registers,
        collect() {
          const { ready, code = '' } = readiness();
          this.reset();
          this.set({ code }, ready ? 1 : 0);
        },
      });
      new Gauge({
        name: 'postern_clock_ahead_seconds',
        help: 'How far the clock of this server is ahead of the clock of its storage',
        aggregator: 'max',
        registers,
        collect() {
          const skewMs = clockSkewMs();
          if (skewMs === undefined) this.remove();
          else this.set(skewMs / 1000);
        },
      });
    },
    observeRates(areShared) {
      new Gauge({
        name: 'postern_rates_shared',
        help: '1 while rates are shared with the other servers; 0 while this server counts for itself',
        aggregator: 'min',
        registers,
        collect() {
          this.set(areShared() ? 1 : 0);
        },
      });
    },
    contentType: register.contentType,
    text: () => register.metrics(),
    values: () => register.getMetricsAsJSON(),
  };
}

/**
 * Figures of several workers as those of one server: counts are added; of what may differ the worst is shown.
 *
 * @param values of each worker, as `Metrics.values` of this build gives them.
 */
export function mergedMetrics(
  values: () => Promise<readonly (readonly object[])[]>,
  serving: () => number,
): Pick<Metrics, 'text' | 'contentType'> {
  return {
    // That of `Registry` for this format, which is not loaded before somebody asks.
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    async text() {
      const { AggregatorRegistry, Gauge, Registry } = await import('prom-client');
      const own = new Registry();
      new Gauge({ name: 'postern_workers', help: 'Workers that serve', registers: [own] }).set(serving());
      return (await AggregatorRegistry.aggregate([...(await values())]).metrics()) + (await own.metrics());
    },
  };
}

/** The registry's page hangs where `createRegistryPage` puts it by itself. */
function partOf(path: string): string {
  if (path.startsWith('/v1/auth/token/')) return 'token';
  if (path.startsWith('/v1/sys/')) return 'sys';
  if (path.startsWith('/v1/')) return 'auth';
  if (path === PAGE_PATH || path.startsWith(`${PAGE_PATH}/`)) return 'page';
  return path.startsWith('/api/') || path.startsWith('/.well-known/') ? 'registry' : 'other';
}
