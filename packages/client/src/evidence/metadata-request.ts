/**
 * One question to the instance metadata service. By `node:http` with an agent of its own: what `fetch` and the global agent may
 * be told about proxies must not hold here, for a proxy would see credentials and answer with another machine's documents.
 */
import { Agent, request } from 'node:http';
import { aborted, PosternClientError, systemCode } from '../client-error.js';
import { type TimeLimit, withTimeLimit } from '../time-limit.js';

export interface MetadataRequest {
  readonly url: URL;
  readonly method: 'GET' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  /** From the connection to the last byte. Milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

export interface MetadataAnswer {
  readonly status: number;
  readonly text: string;
}

/** Documents are a few kilobytes. */
export const MAX_METADATA_BYTES = 64 * 1024;

/** No route to the link-local address: the machine is not an instance, or a firewall blocks it. */
const UNREACHABLE: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ENETDOWN',
]);

/** @throws PosternClientError `not_an_instance`, `metadata_timed_out`, `metadata_answer_invalid`, `aborted` */
export async function askMetadata(asked: MetadataRequest): Promise<MetadataAnswer> {
  return withTimeLimit(asked.timeoutMs, asked.signal, (limit) => askWithin(asked, limit));
}

async function askWithin(asked: MetadataRequest, { signal, isLate }: TimeLimit): Promise<MetadataAnswer> {
  const agent = new Agent({ keepAlive: false });
  try {
    return await exchange(asked, signal, agent);
  } catch (error) {
    if (error instanceof PosternClientError) throw error;
    if (asked.signal?.aborted === true) throw aborted();
    if (isLate()) throw timedOut();
    const code = systemCode(error);
    if (UNREACHABLE.has(code)) throw notAnInstance(`no response from the instance metadata service (${code})`);
    if (code === 'ETIMEDOUT') throw timedOut();
    throw invalidMetadata(`connection to the metadata service failed (${code ?? 'no code'})`);
  } finally {
    agent.destroy();
  }
}

function exchange(
  { url, method, headers }: MetadataRequest,
  signal: AbortSignal,
  agent: Agent,
): Promise<MetadataAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent, signal }, (answer) => {
      const chunks: Buffer[] = [];
      let size = 0;
      answer.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_METADATA_BYTES) {
          reject(invalidMetadata(`the metadata service answered with more than ${MAX_METADATA_BYTES} bytes`));
          sent.destroy();
          return;
        }
        chunks.push(chunk);
      });
      answer.once('error', reject);
      answer.once('end', () =>
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    sent.once('error', reject);
    sent.end();
  });
}

export function notAnInstance(why: string): PosternClientError {
  return new PosternClientError('evidence', 'not_an_instance', `this machine is no cloud instance: ${why}`);
}

export function invalidMetadata(why: string): PosternClientError {
  return new PosternClientError('evidence', 'metadata_answer_invalid', why);
}

function timedOut(): PosternClientError {
  const text =
    'the metadata service did not answer in time: this machine is no instance, or a container on one whose hop limit is 1';
  return new PosternClientError('evidence', 'metadata_timed_out', text);
}
