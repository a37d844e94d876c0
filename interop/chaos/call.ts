/** One HTTP call, as a client that keeps its connections makes it: never again, and never longer than a client would wait. */
import { Agent, request } from 'node:http';
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

export function call(url: string, input: CallInput): Promise<Answer> {
  const start = performance.now();
  return new Promise((resolve) => {
    const { method, path, token } = input;
    const type = path.startsWith('api/v2') ? 'application/vnd.api+json' : 'application/json';
    const bytes = input.archive ?? (input.body === undefined ? undefined : Buffer.from(JSON.stringify(input.body)));
    const headers = {
      ...(token === undefined ? {} : { 'x-service-token': token, authorization: `Bearer ${token}` }),
      ...(bytes === undefined
        ? {}
        : { 'content-type': input.archive === undefined ? type : 'application/gzip', 'content-length': bytes.length }),
    };
    const none = (error: unknown) => {
      // Nothing was sent to a server that was not there.
      const refused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
      const outcome = refused ? ('unavailable' as const) : ('unknown' as const);
      const nothing = { status: 0, code: undefined, requestId: undefined, text: '', json: {} };
      resolve({ start, end: performance.now(), outcome, ...nothing });
    };
    const sent = request(`${url}/${path}`, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', none).on('aborted', () => none(undefined));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const json = jsonOf(text);
        const status = response.statusCode ?? 0;
        const code = codeOf(json);
        const id = response.headers['x-request-id'];
        const requestId = typeof id === 'string' ? id : undefined;
        resolve({
          start,
          end: performance.now(),
          outcome: outcomeOf(status, code),
          status,
          code,
          requestId,
          text,
          json,
        });
      });
    });
    sent.setTimeout(GIVEN_UP_MS, () => sent.destroy());
    sent.on('error', none);
    sent.end(bytes);
  });
}

/** Ends the connections that are kept. */
export function closeConnections(): void {
  agent.destroy();
}

function outcomeOf(status: number, code: string | undefined): Outcome {
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
