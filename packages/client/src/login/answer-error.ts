/** Errors of failed responses (docs/errors.md): with the server's code, else with one for the status. */
import { type ClientErrorKind, PosternClientError } from '../client-error.js';

export interface FailedAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined where the body is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Secrets of the request, which must not appear in a message. */
  readonly secrets: readonly string[];
}

/** Of the codes that a login or a token's own calls may get with 400, those that blame the request; any other was a refusal. */
const INVALID_CODES: ReadonlySet<string> = new Set([
  'body_invalid',
  'field_invalid',
  'field_missing',
  'login_fields_missing',
  'login_fields_ambiguous',
  'token_not_revocable',
]);

const MAX_TEXT = 300;
const MAX_WAIT_SECONDS = 86_400;

export function answerError(answer: FailedAnswer): PosternClientError {
  const { status, headers, body } = answer;
  const sent = body?.['code'];
  const own = typeof sent === 'string' && /^[a-z][a-z0-9_]{0,63}$/.test(sent) ? sent : undefined;
  const kind = kindOf(status, own);
  return new PosternClientError(kind, own ?? codeOf(status), textOf(answer), {
    status,
    retryAfterSeconds: kind === 'unavailable' ? retryAfter(headers.get('retry-after'), answer.now) : undefined,
    requestId: requestIdOf(headers.get('x-request-id')),
  });
}

function kindOf(status: number, code: string | undefined): ClientErrorKind {
  if (status === 400) return code !== undefined && INVALID_CODES.has(code) ? 'invalid' : 'denied';
  if (status === 401 || status === 403) return 'forbidden';
  // With a code: the path is unknown, so the URL or mount path is wrong; without: the record is missing.
  if (status === 404) return code === undefined ? 'not_found' : 'invalid';
  if (status === 429 || status === 503 || status === 504) return 'unavailable';
  // With a code: the server's own, for its operator; without: a proxy's, which is temporary.
  if (status === 502) return code === undefined ? 'unavailable' : 'misconfigured';
  if (status >= 400 && status < 500) return 'invalid';
  return 'unexpected';
}

function codeOf(status: number): string {
  if (status === 400) return 'refused';
  if (status === 401 || status === 403) return 'permission_denied';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  if (status >= 500) return 'server_error';
  return 'answer_unexpected';
}

/** Untrusted text for logs and terminals: printable, short, without secrets of the request. */
function textOf({ status, body, secrets }: FailedAnswer): string {
  const errors = body?.['errors'];
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  let text = typeof first === 'string' ? first : '';
  for (const secret of secrets) if (secret !== '') text = text.replaceAll(secret, '[hidden]');
  text = text
    .replaceAll(/[^ -~]+/g, ' ')
    .trim()
    .slice(0, MAX_TEXT);
  return text === '' ? `server returned ${status}` : `server returned ${status}: ${text}`;
}

/** Seconds, or an instant (RFC 9110, 10.2.3). */
function retryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - now) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), MAX_WAIT_SECONDS);
}

function requestIdOf(text: string | null): string | undefined {
  return text !== null && /^[\w.:-]{1,128}$/.test(text) ? text : undefined;
}
