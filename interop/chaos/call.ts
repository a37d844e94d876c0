/** One HTTP call, and what its answer says of its outcome. */
import { Agent } from 'node:http';
import { httpCall } from '../http-call.js';
import type { Outcome } from './history.js';

/** Beyond the time within which a server must answer. */
const GIVEN_UP_MS = 15_000;
const agent = new Agent({ keepAlive: true, maxSockets: 256 });

export interface CallInput {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly token?: string | undefined;
  readonly body?: object | undefined;
  readonly archive?: Uint8Array | undefined;
}

export interface Answer {
  readonly start: number;
  readonly end: number;
  readonly outcome: Outcome;
  /** 0 where no answer came. */
  readonly status: number;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly text: string;
  /** Members of the JSON text, as the caller knows them. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** Answers with 503 that nobody knows the outcome of. */
const UNKNOWN_CODES: ReadonlySet<string | undefined> = new Set(['storage_outcome_unknown', 'aborted', undefined]);

export async function call(url: string, input: CallInput): Promise<Answer> {
  const { method, path, token } = input;
  const jsonType = path.startsWith('api/v2') ? 'application/vnd.api+json' : 'application/json';
  const body = input.archive ?? (input.body && JSON.stringify(input.body));
  const headers = {
    ...(token === undefined ? {} : { 'x-service-token': token, authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': input.archive === undefined ? jsonType : 'application/gzip' }),
  };
  const start = performance.now();
  const answer = await httpCall(agent, `${url}/${path}`, { method, headers, body, timeoutMs: GIVEN_UP_MS });
  const end = performance.now();
  const { status, text, isRefused } = answer;
  const json = jsonOf(text);
  const code = codeOf(json);
  const id = answer.headers['x-request-id'];
  const requestId = typeof id === 'string' ? id : undefined;
  // Nothing was sent to a server that was not there.
  const outcome = isRefused ? 'unavailable' : outcomeOf(status, code);
  return { start, end, outcome, status, code, requestId, text, json };
}

/** Ends the connections that are kept. */
export function closeConnections(): void {
  agent.destroy();
}

function outcomeOf(status: number, code: string | undefined): Outcome {
  if (status === 0) return 'unknown';
  if (status >= 200 && status < 300) return 'done';
  if (status < 500) return 'refused';
  return UNKNOWN_CODES.has(code) ? 'unknown' : 'unavailable';
}

function jsonOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    // Every member is unknown until it was looked at.
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

/** Of the auth method, or of the first error of the registry. */
function codeOf({ code, errors }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof code === 'string') return code;
  const [first]: readonly unknown[] = Array.isArray(errors) ? errors : [];
  const found = typeof first === 'object' && first !== null && 'code' in first ? first.code : undefined;
  return typeof found === 'string' ? found : undefined;
}
