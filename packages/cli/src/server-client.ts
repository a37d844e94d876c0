/** A client of that server, and what its errors say on a terminal. Apart from the options: it loads the client. */
import { type ClientOptions, createPosternClient, isPosternClientError, type PosternClient } from '@postern/client';
import type { ServerPlace } from './server-place.js';

/** @throws TypeError for an invalid address or path */
export function clientOf(
  { url, profile, mountPath, namespace }: ServerPlace,
  more: Pick<ClientOptions, 'maxAttempts' | 'timeoutMs'> = {},
): PosternClient {
  return createPosternClient({
    url,
    profile,
    ...(mountPath === undefined ? {} : { mountPath }),
    ...(namespace === undefined ? {} : { namespace }),
    ...more,
  });
}

/** The message of a client error; of any other error only its name and code, because its message may quote secrets. */
export function reasonOf(error: unknown): string {
  if (!isPosternClientError(error)) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    return `unexpected ${error instanceof Error ? error.name : 'value'}${code === undefined ? '' : ` (${code})`}`;
  }
  const { code, message, requestId } = error;
  return `${code}: ${message}${requestId === undefined ? '' : ` (request ${requestId})`}`;
}
