/**
 * One question to a registry that may be down, slow or hostile: bounded in time, size and redirects, asked twice at most.
 * A token goes to its origin alone (CHECK-6), and into no error.
 */
import { AskError, type Credential, otherOrigin } from './problem.js';
import { readBounded } from './read-bounded.js';

/** The part of `fetch` that is needed. */
export type Fetch = (url: URL, init: RequestInit) => Promise<Response>;

export interface Question {
  readonly url: URL;
  /** Dropped by a redirect to another origin, for good. */
  readonly credential: Credential | undefined;
  /** Sent as JSON by POST. */
  readonly json?: unknown;
  readonly maxBytes: number;
}

export interface Reply {
  readonly status: number;
  /** Where it came from, after redirects. */
  readonly url: URL;
  readonly text: string;
}

export interface SenderOptions {
  readonly fetch: Fetch;
  /** Of one attempt, body included. */
  readonly timeoutMs: number;
  /** Ends the whole check. */
  readonly signal: AbortSignal;
  /** When what is not answered stays unknown. Undefined: no such time. */
  readonly deadline?: AbortSignal | undefined;
  readonly userAgent: string;
}

export type Sender = (question: Question) => Promise<Reply>;

/** As many as the stock client follows. */
const MAX_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Before the second attempt, unless the registry says how long; never longer than the greatest. */
const RETRY_MS = 250;
const MAX_RETRY_MS = 5000;

/** @throws AskError @throws the reason of `signal` once it is aborted */
export function createSender({ fetch, timeoutMs, signal, deadline, userAgent }: SenderOptions): Sender {
  async function attempt(question: Question, limit: AbortSignal, redirects: number): Promise<Reply & Retry> {
    const { url, credential, json, maxBytes } = question;
    const headers = {
      accept: 'application/json',
      'user-agent': userAgent,
      ...(credential === undefined ? {} : { authorization: `Bearer ${credential.token}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const body = json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) };
    const response = await within(limit, fetch(url, { ...body, headers, redirect: 'manual', signal: limit }));
    const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
    if (location !== null) {
      void response.body?.cancel().catch(() => undefined);
      const next = redirectTarget(location, url);
      if (json !== undefined || next === undefined || redirects >= MAX_REDIRECTS) {
        throw new AskError('answer_invalid', 'unexpected redirect');
      }
      if (credential === undefined || next.origin === credential.origin) {
        return attempt({ url: next, credential, maxBytes }, limit, redirects + 1);
      }
      const reply = await attempt({ url: next, credential: undefined, maxBytes }, limit, redirects + 1);
      if (reply.status === 401 || reply.status === 403) throw otherOrigin(credential, next.origin);
      return reply;
    }
    const text = await within(limit, readBounded(response.body, maxBytes));
    return { status: response.status, url, text, retryAfterMs: retryAfterMs(response.headers) };
  }

  const ends = deadline === undefined ? [signal] : [signal, deadline];

  async function attemptOrTell(question: Question): Promise<Reply & Retry> {
    try {
      return await withLimit(timeoutMs, ends, (limit) => attempt(question, limit, 0));
    } catch (error) {
      signal.throwIfAborted();
      if (deadline?.aborted === true) throw tooLate();
      throw error instanceof AskError ? error : toAskError(error);
    }
  }

  return async (question) => {
    requireUsable(question);
    if (deadline?.aborted === true) throw tooLate();
    let wait = RETRY_MS;
    try {
      const reply = await attemptOrTell(question);
      if (!isFailure(reply.status)) return reply;
      wait = Math.min(reply.retryAfterMs ?? RETRY_MS, MAX_RETRY_MS);
    } catch (error) {
      if (!(error instanceof AskError) || error.problem.code !== 'unreachable') throw error;
    }
    await pause(wait, ends);
    const reply = await attemptOrTell(question);
    if (isFailure(reply.status)) throw new AskError('server_error', `registry failed with status ${reply.status}`);
    return reply;
  };
}

interface Retry {
  readonly retryAfterMs: number | undefined;
}

function isFailure(status: number): boolean {
  return status === 429 || status >= 500;
}

/** Not from TLS to plain text, and not to another kind of address. */
function redirectTarget(location: string, from: URL): URL | undefined {
  try {
    const url = new URL(location, from);
    const isGood = url.protocol === 'https:' || (url.protocol === 'http:' && from.protocol === 'http:');
    return isGood && url.username === '' && url.password === '' ? url : undefined;
  } catch {
    return undefined;
  }
}

function requireUsable({ url, credential }: Question): void {
  if (credential === undefined) return;
  if (url.origin !== credential.origin) throw otherOrigin(credential, url.origin);
  // The error of `fetch` would quote it.
  if (!/^[!-~]+$/.test(credential.token)) {
    throw new AskError('token_unusable', 'the token contains characters that are not allowed in a header');
  }
}

function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) * 1000 : undefined;
}

/** Only the system's error code is reported: messages may quote what was sent. */
function toAskError(error: unknown): AskError {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new AskError('timeout', 'registry did not respond in time');
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return new AskError('unreachable', `registry did not respond${/^[A-Z0-9_]{3,60}$/.test(code) ? ` (${code})` : ''}`);
}

function tooLate(): AskError {
  return new AskError('timeout', 'the check ran out of time before the registry responded');
}

/**
 * Runs one attempt under a signal that aborts after `timeoutMs` or with any of `ends`. Node 20 collects the signals of
 * `AbortSignal.any` and `AbortSignal.timeout` while they are waited for, so timer and controller are held here.
 */
async function withLimit<T>(
  timeoutMs: number,
  ends: readonly AbortSignal[],
  work: (limit: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new DOMException('timed out', 'TimeoutError')), timeoutMs);
  const stops = ends.map((end) => ({ end, stop: () => controller.abort(end.reason) }));
  for (const { end, stop } of stops) {
    end.addEventListener('abort', stop, { once: true });
    if (end.aborted) stop();
  }
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    for (const { end, stop } of stops) end.removeEventListener('abort', stop);
  }
}

/** Holds the time also against a `fetch` that does not heed its signal. */
function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Ends early, without an error, where one of `ends` does: what follows judges that. */
function pause(ms: number, ends: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      for (const end of ends) end.removeEventListener('abort', stop);
      resolve();
    };
    const timer = setTimeout(stop, ms);
    for (const end of ends) {
      end.addEventListener('abort', stop, { once: true });
      if (end.aborted) stop();
    }
  });
}
