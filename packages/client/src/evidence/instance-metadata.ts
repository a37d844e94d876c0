/**
 * The instance metadata service, version 2: a token first, then questions with it. Version 1 is never asked: any program that can
 * be made to send a GET could ask it too.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { aborted, PosternClientError } from '../client-error.js';
import { askMetadata, invalidMetadata, type MetadataAnswer, notAnInstance } from './metadata-request.js';

export interface MetadataOptions {
  /** Default `http://169.254.169.254`, or `http://[fd00:ec2::254]` with `ipv6`. `http` only, without a path. */
  readonly endpoint?: string;
  /** The IPv6 address in place of the IPv4 one. */
  readonly ipv6?: boolean;
  /** Of each question. Milliseconds, default 2,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Questions under one token. */
export interface MetadataSession {
  /** @returns the text at that path, or undefined if the service has none. */
  get(path: string): Promise<string | undefined>;
}

const IPV4_ENDPOINT = 'http://169.254.169.254';
const IPV6_ENDPOINT = 'http://[fd00:ec2::254]';
const DEFAULT_TIMEOUT_MS = 2_000;

/** Long enough for the few questions of a login. */
const TOKEN_TTL_SECONDS = 60;
const TOKEN = /^[!-~]{1,1024}$/;

/** The service sheds load when many programs ask at once. */
const MAX_ATTEMPTS = 3;
const PAUSE_MS = 100;

/**
 * @throws TypeError for an invalid endpoint
 * @throws PosternClientError `not_an_instance`, `metadata_disabled`, `metadata_timed_out`, `metadata_unavailable`,
 *   `metadata_answer_invalid`, `aborted`
 */
export async function openMetadata(options: MetadataOptions = {}): Promise<MetadataSession> {
  const endpoint = metadataAddress(options);
  const ask = (method: 'GET' | 'PUT', path: string, headers: Readonly<Record<string, string>>) =>
    askPatiently(
      () =>
        askMetadata({
          url: new URL(path, endpoint),
          method,
          headers,
          timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
          signal: options.signal,
        }),
      options.signal,
    );

  const { status, text } = await ask('PUT', '/latest/api/token', {
    'x-aws-ec2-metadata-token-ttl-seconds': String(TOKEN_TTL_SECONDS),
  });
  if (status === 404 || status === 405) throw notAnInstance('what answers at the metadata address knows no tokens');
  checkStatus(status);
  const token = text.trim();
  if (!TOKEN.test(token)) throw invalidMetadata('the metadata service gave no usable token');
  return {
    async get(path) {
      const answer = await ask('GET', path, { 'x-aws-ec2-metadata-token': token });
      if (answer.status === 404) return undefined;
      checkStatus(answer.status);
      return answer.text;
    },
  };
}

/** @throws TypeError */
export function metadataAddress({ endpoint, ipv6 = false }: MetadataOptions): URL {
  const url = new URL(endpoint ?? (ipv6 ? IPV6_ENDPOINT : IPV4_ENDPOINT));
  if (url.protocol !== 'http:' || url.href !== `${url.origin}/`) {
    throw new TypeError('the metadata endpoint is http://HOST or http://HOST:PORT');
  }
  return url;
}

async function askPatiently(
  ask: () => Promise<MetadataAnswer>,
  signal: AbortSignal | undefined,
): Promise<MetadataAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await ask();
    if ((answer.status !== 429 && answer.status < 500) || attempt === MAX_ATTEMPTS) return answer;
    await sleep(PAUSE_MS * attempt, undefined, signal === undefined ? {} : { signal }).catch(() => {
      throw aborted();
    });
  }
}

function checkStatus(status: number): void {
  if (status === 200) return;
  if (status === 403) {
    throw new PosternClientError(
      'evidence',
      'metadata_disabled',
      'the metadata service of this instance is switched off',
    );
  }
  if (status === 429 || status >= 500) {
    throw new PosternClientError('unavailable', 'metadata_unavailable', `the metadata service answers ${status}`);
  }
  // A redirect is one too: it is never followed.
  throw invalidMetadata(`the metadata service answers ${status}`);
}
