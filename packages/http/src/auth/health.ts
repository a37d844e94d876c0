/** `/v1/sys/health` in the shape that Vault clients expect (WIRE-17). No token; nothing an outsider could use. */
import type { Awaitable, EpochMillis } from '@postern/ports';
import { jsonResponse } from './answer.js';

export interface HealthReport {
  /** Whether the storage answers. Without it the answer is 503. */
  readonly storageReachable: boolean;
  readonly version: string;
  readonly serverTime: EpochMillis;
  /** What an operator should see: certificates expired or about to. */
  readonly warnings?: readonly string[];
}

export type HealthCheck = () => Awaitable<HealthReport>;

export function healthResponse(report: HealthReport, requestId: string): Response {
  return jsonResponse(report.storageReachable ? 200 : 503, requestId, {
    initialized: true,
    sealed: false,
    standby: false,
    performance_standby: false,
    replication_performance_mode: 'disabled',
    replication_dr_mode: 'disabled',
    server_time_utc: Math.floor(report.serverTime / 1000),
    version: report.version,
    storage: report.storageReachable ? 'reachable' : 'unreachable',
    warnings: report.warnings ?? [],
  });
}
