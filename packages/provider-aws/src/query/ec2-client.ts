/**
 * Calls to EC2 over its query protocol, without the SDK's client, whose CPU for a call is ten times that of the request it sends. Its
 * parts do the rest: it signs, finds the endpoint and says what is tried again. docs/adr/0022-ec2-without-the-sdk-client.md
 */
import type { Clock } from '@postern/ports';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import type { ClientSettings } from '../sdk/client-settings.js';
import type { Transport, TransportAnswer } from '../transport/transport.js';
import { TransportError } from '../transport/transport-error.js';
import { cloudRefusal } from './cloud-refusal.js';
import { findEc2Endpoint } from './ec2-endpoint.js';
import { readXml, type XmlElement, XmlError, type XmlShape } from './read-xml.js';
import { createRetries } from './retries.js';

export interface Ec2ClientParts {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly attemptTimeoutMs: number;
}

export interface Ec2Question<T> {
  readonly action: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** What to keep of the answer, below its root. */
  readonly shape: XmlShape;
  /** @throws XmlError where it is not an answer to the question */
  read(answer: XmlElement): T;
}

export interface Ec2Client {
  /** @throws CloudRefusal for an error of EC2; TransportError where no answer came, or one that is not EC2's. */
  ask<T>(question: Ec2Question<T>, options: { readonly abortSignal: AbortSignal }): Promise<T>;
}

const API_VERSION = '2016-11-15';
const CONTENT_TYPE = 'application/x-www-form-urlencoded';

/** A hundred instances with all their tags and interfaces take less. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** So far may a signature's time be from the provider's and the call still be worth another attempt at once. */
const SKEW_MS = 240_000;

export function createEc2Client(
  { transport, clock, attemptTimeoutMs }: Ec2ClientParts,
  settings: ClientSettings,
): Ec2Client {
  const { region, credentials } = settings;
  const signer = new SignatureV4({ credentials, region, service: 'ec2', sha256: Sha256 });
  const retries = createRetries(settings.maxAttempts);
  let endpoint: Promise<URL> | undefined;
  /** How far the provider's clock is ahead of this machine's. */
  let skewMs = 0;

  async function exchange(body: string, signal: AbortSignal): Promise<TransportAnswer> {
    endpoint ??= findEc2Endpoint(region, settings.endpoint).catch((error: unknown) => {
      endpoint = undefined;
      throw error;
    });
    const origin = await endpoint;
    const { protocol, hostname, host } = origin;
    const path = origin.pathname.endsWith('/') ? origin.pathname : `${origin.pathname}/`;
    const request = { method: 'POST', protocol, hostname, path, query: {}, body };
    const signingDate = new Date(clock.now() + skewMs);
    const { headers } = await signer.sign(
      { ...request, headers: { host, 'content-type': CONTENT_TYPE, 'user-agent': 'postern' } },
      { signingDate },
    );
    const limits = { timeoutMs: attemptTimeoutMs, maxBytes: MAX_ANSWER_BYTES, signal };
    return transport.exchange(
      { origin, method: 'POST', target: path, headers: Object.entries(headers).flat(), body },
      limits,
    );
  }

  return {
    ask(question, { abortSignal }) {
      const body = [['Action', question.action], ['Version', API_VERSION], ...question.parameters]
        .map(([name, value = '']) => `${name}=${encodeURIComponent(value)}`)
        .join('&');
      return retries(async () => {
        const skewBefore = skewMs;
        const answer = await exchange(body, abortSignal);
        skewMs = skewOf(answer, clock.now()) ?? skewMs;
        if (answer.status >= 300) throw cloudRefusal(answer, Math.abs(skewMs - skewBefore) >= SKEW_MS);
        return readAnswer(question, answer.body);
      }, abortSignal);
    },
  };
}

/** Undefined where the answer does not tell, or comes out of a cache. */
function skewOf({ headers }: TransportAnswer, now: number): number | undefined {
  const at = headers['age'] === undefined ? Date.parse(headers['date'] ?? '') : Number.NaN;
  return Number.isNaN(at) ? undefined : at - now;
}

/** A page of a proxy, an answer that was cut: "none" would become a denial although EC2 did not answer (ERROR-5). */
function readAnswer<T>({ action, shape, read }: Ec2Question<T>, body: Uint8Array): T {
  try {
    return read(readXml(body, { [`${action}Response`]: shape }));
  } catch (error) {
    if (error instanceof XmlError) throw new TransportError('not_understood', 'not the answer to what was asked');
    throw error;
  }
}
