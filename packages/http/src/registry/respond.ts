/** From an answer to a response: headers that all have, entity tags, what a client has already, bodies of HEAD. */
import { matchesEtag, strongEtag } from './etag.js';
import type { Answer } from './exchange.js';
import type { Face } from './faces.js';
import type { Problem } from './problem.js';

export async function respond(
  answer: Answer,
  request: Request,
  face: Face,
  requestId: string,
  more: Readonly<Record<string, string>>,
): Promise<Response> {
  const { status, body } = answer;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const headers: Record<string, string> = { ...baseHeaders(requestId), ...more, ...answer.headers };
  if (body !== null || request.method === 'HEAD') headers['content-type'] = answer.contentType ?? face.contentType;
  if (isRead && status === 200) {
    const etag = answer.etag ?? (isWhole(body) ? await strongEtag(body) : undefined);
    if (etag !== undefined) {
      headers['etag'] = etag;
      if (matchesEtag(request.headers.get('if-none-match'), etag)) {
        if (body instanceof ReadableStream) await body.cancel();
        delete headers['content-type'];
        delete headers['content-length'];
        return new Response(null, { status: 304, headers });
      }
    }
  }
  if (isWhole(body)) headers['content-length'] = String(byteLength(body));
  if (request.method === 'HEAD') return new Response(null, { status, headers });
  // Bytes of ours never lie in shared memory, which is what the wider type allows for.
  return new Response(body as BodyInit | null, { status, headers });
}

export function problemResponse(problem: Problem, face: Face, requestId: string): Response {
  const { status, retryAfterSeconds, headers } = problem;
  return new Response(face.problemBody(problem), {
    status,
    headers: {
      ...baseHeaders(requestId),
      'content-type': face.contentType,
      'cache-control': 'private, no-store',
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
      ...headers,
    },
  });
}

function isWhole(body: Answer['body']): body is string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array;
}

function byteLength(body: string | Uint8Array): number {
  return typeof body === 'string' ? new TextEncoder().encode(body).byteLength : body.byteLength;
}

/**
 * Answers depend on who asks, and a version may be deprecated any moment: kept by the client alone, and asked again each
 * time. No browser guesses a type.
 */
function baseHeaders(requestId: string): Record<string, string> {
  return {
    'cache-control': 'private, no-cache',
    vary: 'authorization',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  };
}
