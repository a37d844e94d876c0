/**
 * `postern serve` with `workers`: this process starts them, and has what only one process can have: the audit log, the figures' address and
 * the signals. It serves nothing itself.
 */
import type { AuditEvent } from '@postern/ports';
import type { ClosableAuditSink } from '../audit/audit-lines.js';
import { openSinks, reopenSinks } from '../audit/open-sinks.js';
import { type Config, workersOf } from '../config/config.js';
import { loadTrusted } from '../config/trusted-config.js';
import { describeError, type Log } from '../log.js';
import { mergedMetrics } from '../metrics/metrics.js';
import { listenForMetrics } from '../metrics/metrics-listener.js';
import { endOnSignals } from '../process-end.js';
import { forSetting } from '../start-error.js';
import { startWorkers, WorkerEnded, type WorkerPool } from './worker-pool.js';

/** Two times of grace, for requests and for tidying, and what a worker takes beside. Milliseconds. */
const STOP_MS = 25_000;
/** More events than a worker leaves unremoved from its log when it is killed. */
const REMEMBERED = 20_000;

/** Runs until a signal ends it. @throws StartError, ConfigError. */
export async function serveByWorkers(config: Config, configFile: string, log: Log): Promise<void> {
  const sinks = await openSinks(config.audit);
  const recorders = sinks.map(onceEach);
  const count = workersOf(config);
  let pool: WorkerPool | undefined;
  try {
    const started = await startWorkers({
      count,
      log,
      record: async ({ sink, events }) => recorders[sink]?.(events),
    });
    pool = started.pool;
    const figures = await listenForFigures(config, pool);
    const { stop, reload } = pool;
    endOnSignals(async () => {
      await stop((config.shutdown?.delaySeconds ?? 0) * 1000 + STOP_MS);
      await figures?.close();
      await Promise.all(sinks.map((sink) => sink.close()));
      log('info', 'stopped');
    }, log);
    process.on('SIGHUP', () => {
      warnOfConfig(configFile, log);
      reload();
      void reopenSinks(sinks, log);
    });
    const metrics = figures === undefined ? {} : { metrics: figures.url };
    log('info', 'listening', { ...started.facts, ...metrics, workers: count });
  } catch (error) {
    await pool?.stop(0);
    await Promise.all(sinks.map((sink) => sink.close()));
    // It has said why.
    if (error instanceof WorkerEnded) process.exit(error.exitCode);
    throw error;
  }
}

async function listenForFigures({ metrics }: Config, pool: WorkerPool) {
  if (metrics === undefined) return undefined;
  const { host = '127.0.0.1', port } = metrics;
  const merged = mergedMetrics(pool.figures, pool.serving);
  return forSetting('metrics.host, metrics.port', listenForMetrics(merged, { host, port }));
}

/** A worker that was killed sends again what it has not removed from its log: recorded once (AUDIT-6). */
function onceEach(sink: ClosableAuditSink): (events: readonly AuditEvent[]) => Promise<void> {
  const known = new Set<string>();
  return async (events) => {
    const fresh = events.filter(({ id }) => !known.has(id));
    if (fresh.length > 0) await sink.recordAll(fresh);
    for (const { id } of fresh) known.add(id);
    for (const id of known) {
      if (known.size <= REMEMBERED) break;
      known.delete(id);
    }
  };
}

/** Each worker tells what it makes of the policies; what is wrong with the file is told once. */
function warnOfConfig(configFile: string, log: Log): void {
  try {
    loadTrusted(configFile, log);
  } catch (error) {
    log('error', 'the configuration cannot be used', describeError(error));
  }
}
