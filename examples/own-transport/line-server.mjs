/**
 * Postern behind a transport of one's own: newline-delimited JSON over TCP. A line in is
 * `{ id, operation, params?, fields?, token? }`; a line out is `{ id, ok }` or `{ id, error }`.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { isAuthError } from '@postern/core-auth';
import { parseStrictJson } from '@postern/kernel';

/** A caller who sends a line without end must not fill the memory. */
const MAX_LINE_BYTES = 64 * 1024;

/** @param {import('@postern/core-auth').AuthMethod} method */
export function createLineServer(method) {
  return createServer((socket) => {
    // Gives up what still runs for a caller who has hung up.
    const gone = new AbortController();
    socket.on('close', () => gone.abort());
    socket.on('error', () => socket.destroy());

    /** @type {Buffer[]} */
    let parts = [];
    let length = 0;
    socket.on('data', (/** @type {Buffer} */ chunk) => {
      let rest = chunk;
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        const line = Buffer.concat([...parts, rest.subarray(0, end)]);
        rest = rest.subarray(end + 1);
        parts = [];
        length = 0;
        void answer(line).then((text) => socket.writable && socket.write(`${text}\n`));
      }
      parts.push(rest);
      length += rest.length;
      if (length > MAX_LINE_BYTES) socket.destroy();
    });

    /** @param {Uint8Array} line @returns {Promise<string>} */
    async function answer(line) {
      const request = parseLine(line);
      if (request === undefined) return JSON.stringify({ id: null, error: { code: 'line_invalid' } });
      const { id, operation, params, fields, token } = request;
      try {
        const ok = await method.handle({
          operation,
          params,
          fields,
          token,
          requestId: randomUUID(),
          peerAddress: socket.remoteAddress,
          signal: gone.signal,
        });
        return JSON.stringify({ id, ok });
      } catch (error) {
        return JSON.stringify({ id, error: publicError(error) });
      }
    }
  });
}

/**
 * What a caller may be told: never the cause, the stack or the reason of a proof that failed.
 *
 * @param {unknown} error
 */
function publicError(error) {
  if (!isAuthError(error) || error.kind === 'internal') return { code: 'internal', kind: 'internal' };
  const { code, kind, message, details, retryAfterSeconds } = error;
  return { code, kind, message, details, retryAfterSeconds };
}

/** @param {Uint8Array} line */
function parseLine(line) {
  const text = new TextDecoder().decode(line);
  const json = parseStrictJson(text, { maxDepth: 32, refuseDuplicateKeys: true });
  if (!json.ok || !isRecord(json.value)) return undefined;
  const { id, operation, params = {}, fields = {}, token } = json.value;
  if (typeof id !== 'number' || typeof operation !== 'string' || !isRecord(params) || !isRecord(fields)) {
    return undefined;
  }
  if (token !== undefined && typeof token !== 'string') return undefined;
  if (!isTexts(params)) return undefined;
  return { id, operation, params, fields, token };
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isRecord = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param {Record<string, unknown>} record @returns {record is Record<string, string>} */
const isTexts = (record) => Object.values(record).every((value) => typeof value === 'string');
