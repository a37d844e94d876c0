/** Responses: the envelope, and the status of an outcome or an error (WIRE-9, WIRE-10, ERROR-2, ERROR-1). */
import { type AuthError, type ErrorKind, isAuthError, type Outcome } from '@postern/core-auth';
import type { Awaitable, EpochMillis } from '@postern/ports';
import { membersToWire, textToWire, type WireProfile } from './wire-profile.js';

export const STATUS_OF_KIND: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  denied: 400,
  forbidden: 403,
  not_found: 404,
  too_large: 413,
  internal: 500,
  misconfigured: 502,
  unavailable: 503,
};

/** Where the error itself does not say. */
const DEFAULT_RETRY_AFTER_SECONDS = 1;

/** Codes of the transport itself. */
export const TRANSPORT_CODES = [
  'unsupported_path',
  'unsupported_operation',
  'unsupported_header',
  'rate_limited',
] as const;
type TransportCode = (typeof TRANSPORT_CODES)[number];

export function outcomeResponse(outcome: Outcome, requestId: string, profile: WireProfile): Response {
  const { data, auth, warnings = [], accepted = false } = outcome;
  if (isEmptyList(data)) return emptyNotFound(requestId);
  if (!accepted && data === undefined && auth === undefined && warnings.length === 0) {
    return new Response(null, { status: 204, headers: baseHeaders(requestId) });
  }
  return jsonResponse(accepted ? 202 : 200, requestId, {
    request_id: requestId,
    lease_id: '',
    renewable: false,
    lease_duration: 0,
    data: data === undefined ? null : membersToWire(profile, data),
    wrap_info: null,
    warnings: warnings.length === 0 ? null : warnings.map((text) => textToWire(profile, text)),
    auth: auth ?? null,
  });
}

/** Renders an error of the core. Anything else is 500 and says nothing of what it was. */
export function errorResponse(error: unknown, requestId: string, profile: WireProfile): Response {
  if (!isAuthError(error) || error.kind === 'internal') {
    return jsonResponse(500, requestId, { errors: ['internal error'], code: 'internal' });
  }
  if (error.kind === 'not_found') return emptyNotFound(requestId);
  const text = error.kind === 'forbidden' ? 'permission denied' : textToWire(profile, error.message);
  return jsonResponse(STATUS_OF_KIND[error.kind], requestId, { errors: [text], code: error.code }, retryHeaders(error));
}

/** 404, for a missing record and for an empty list. */
export function emptyNotFound(requestId: string): Response {
  return jsonResponse(404, requestId, { errors: [] });
}

export function unsupportedPath(requestId: string): Response {
  return refusal(404, requestId, 'unsupported_path', 'unsupported path');
}

export function refusedHeader(requestId: string, text: string): Response {
  return refusal(400, requestId, 'unsupported_header', text);
}

/** @param allow the methods of the path (RFC 9110, 15.5.6). */
export function unsupportedOperation(requestId: string, allow: readonly string[]): Response {
  return refusal(405, requestId, 'unsupported_operation', 'unsupported operation', { allow: allow.join(', ') });
}

/** @param retryAfterSeconds whole seconds. */
export function rateLimited(requestId: string, retryAfterSeconds: number): Response {
  return refusal(429, requestId, 'rate_limited', 'too many requests', { 'retry-after': String(retryAfterSeconds) });
}

/** Whether the server can do its work: what a write to its storage showed (WIRE-23). */
export interface ReadinessReport {
  readonly ready: boolean;
  /** `storage_full`, `storage_read_only`, `storage_broken`, `storage_unavailable`, `clock_skewed`, `record_newer`, `draining`, or your own. */
  readonly code?: string;
  /** Without names of this installation: anybody may read it. */
  readonly reason?: string;
}

export type ReadinessCheck = () => Awaitable<ReadinessReport>;

export interface HealthReport {
  /** Whether the storage responds; where not, the status is 503. */
  readonly storageReachable: boolean;
  readonly version: string;
  readonly serverTime: EpochMillis;
  /** As last seen; where it is not ready, the status is 503. */
  readonly readiness?: ReadinessReport;
  /** For the operator: certificates expired or about to. */
  readonly warnings?: readonly string[];
}

export type HealthCheck = () => Awaitable<HealthReport>;

/** `/v1/sys/health` in the shape that Vault clients expect (WIRE-17). No token, and nothing an outsider could use. */
export function healthResponse(
  report: HealthReport,
  requestId: string,
  readiness: ReadinessReport | undefined = report.readiness,
): Response {
  const isHealthy = report.storageReachable && readiness?.ready !== false;
  return jsonResponse(isHealthy ? 200 : 503, requestId, {
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
    ...readiness,
  });
}

/** `/readyz` (WIRE-23). */
export function readinessResponse(readiness: ReadinessReport, requestId: string): Response {
  return jsonResponse(readiness.ready ? 200 : 503, requestId, readiness);
}

export function jsonResponse(
  status: number,
  requestId: string,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): Response {
  return jsonTextResponse(status, requestId, JSON.stringify(body), headers);
}

export function jsonTextResponse(
  status: number,
  requestId: string,
  body: string,
  headers?: Readonly<Record<string, string>>,
): Response {
  const all = baseHeaders(requestId);
  all['content-type'] = 'application/json';
  return new Response(body, { status, headers: headers === undefined ? all : { ...all, ...headers } });
}

function refusal(
  status: number,
  requestId: string,
  code: TransportCode,
  text: string,
  headers?: Readonly<Record<string, string>>,
): Response {
  return jsonResponse(status, requestId, { errors: [text], code }, headers);
}

/** Responses may hold tokens: caches must not keep them, browsers must not guess their type. */
function baseHeaders(requestId: string): Record<string, string> {
  return { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'x-request-id': requestId };
}

function retryHeaders(error: AuthError): Record<string, string> | undefined {
  if (error.kind !== 'unavailable') return undefined;
  return { 'retry-after': String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS))) };
}

/** What lists answer: names, and perhaps what is known of each. */
const LIST_MEMBERS: ReadonlySet<string> = new Set(['keys', 'key_info']);

function isEmptyList(data: Outcome['data']): boolean {
  if (data === undefined || !Object.keys(data).every((name) => LIST_MEMBERS.has(name))) return false;
  const { keys } = data;
  return Array.isArray(keys) && keys.length === 0;
}
