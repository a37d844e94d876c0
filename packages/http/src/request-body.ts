/** Reads a request body with a bound that holds before anything is kept or parsed (WIRE-20, THREAT-35). */
import { AuthError } from '@postern/core-auth';

/** Unless `bodyLimitBytes` says otherwise (WIRE-20). */
export const DEFAULT_BODY_LIMIT_BYTES = 128 * 1024;

/**
 * Reads at most `limitBytes`. A declared length over the limit is refused unread; an undeclared or untrue one is cut off
 * at the chunk that passes the limit.
 *
 * @param onBytes counts what arrives; what it throws ends the reading.
 * @throws AuthError `body_too_large`; `body_invalid` when the body ends in an error (the client went away).
 */
export async function readBoundedBody(
  request: Request,
  limitBytes: number,
  onBytes?: (bytes: number) => void,
): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length')) > limitBytes) throw bodyTooLarge();
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      length += part.value.byteLength;
      if (length > limitBytes) throw bodyTooLarge();
      onBytes?.(part.value.byteLength);
      chunks.push(part.value);
    }
  } catch (error) {
    // Not awaited: a source that never answers its cancellation must not hold the answer back.
    reader.cancel().catch(() => undefined);
    if (error instanceof AuthError) throw error;
    throw new AuthError('body_invalid', 'the request body could not be read', { cause: error });
  }
  return joinChunks(chunks, length);
}

/** For adapters that read bodies themselves: the refusal of a body over the limit. */
export function bodyTooLarge(): AuthError {
  return new AuthError('body_too_large', 'the request body is too large');
}

function joinChunks(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1) return first;
  const joined = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.byteLength;
  }
  return joined;
}
