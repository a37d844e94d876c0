/**
 * One request to the server, sent once. It goes to the address that was given and nowhere else: a redirect would carry a token or a
 * proof to whom it names, so that none is followed. Time and size of the answer are bounded.
 */
import { aborted, PosternClientError, systemCode } from '../client-error.js';
import { type TimeLimit, withTimeLimit } from '../time-limit.js';
import { answerError } from './answer-error.js';

/** `fetch`, as far as it is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ServerCall {
  readonly fetch: Fetch;
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** Until the last byte of the answer. Milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** What was sent and must not come back in an error's text. */
  readonly secrets: readonly string[];
  readonly now: () => number;
}

/** Answers to logins are a few kilobytes, with policies and metadata. */
export const MAX_ANSWER_BYTES = 1024 * 1024;

/** @returns the JSON object of a success; undefined where it has no body. @throws PosternClientError */
export function callServer(call: ServerCall): Promise<Readonly<Record<string, unknown>> | undefined> {
  return withTimeLimit(call.timeoutMs, call.signal, (limit) => callWithin(call, limit));
}

async function callWithin(
  call: ServerCall,
  { signal, isLate }: TimeLimit,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (isAborted(call.signal)) throw aborted();
  try {
    const response = await call.fetch(call.url, {
      method: call.method,
      headers: {
        accept: 'application/json',
        ...call.headers,
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      redirect: 'manual',
      signal,
    });
    refuseRedirect(response);
    const body = parseBody(await boundedText(response), response.ok);
    if (response.ok) return body;
    throw answerError({
      status: response.status,
      headers: response.headers,
      body,
      now: call.now(),
      secrets: call.secrets,
    });
  } catch (error) {
    if (error instanceof PosternClientError) throw error;
    if (isAborted(call.signal)) throw aborted();
    if (isLate()) {
      throw new PosternClientError('unavailable', 'server_timed_out', `no response within ${call.timeoutMs} ms`);
    }
    // Nothing else of it: what a transport says may quote headers.
    const code = systemCode(error);
    const text = `could not reach the server${code === undefined ? '' : ` (${code})`}`;
    throw new PosternClientError('unavailable', 'server_unreachable', text);
  }
}

/** A question asked anew: it may have another answer after every wait. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function refuseRedirect({ status, type, redirected }: Response): void {
  if (type !== 'opaqueredirect' && !redirected && (status < 300 || status >= 400)) return;
  throw new PosternClientError(
    'unexpected',
    'redirect_refused',
    'server sent a redirect; configure the URL that it redirects to',
    {
      status,
    },
  );
}

async function boundedText(response: Response): Promise<string> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MAX_ANSWER_BYTES) {
      await reader.cancel().catch(() => undefined);
      throw new PosternClientError(
        'unexpected',
        'answer_too_large',
        `response is larger than ${MAX_ANSWER_BYTES} bytes`,
      );
    }
    chunks.push(value);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** @throws PosternClientError where a success is not what a success is; an error may have any body. */
function parseBody(text: string, mustBeObject: boolean): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return undefined;
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body };
  } catch {
    // Said below: the message of the parser would quote the answer.
  }
  if (mustBeObject) throw answerInvalid('the answer is no JSON object');
  return undefined;
}

export function answerInvalid(text: string): PosternClientError {
  return new PosternClientError('unexpected', 'answer_invalid', text);
}
