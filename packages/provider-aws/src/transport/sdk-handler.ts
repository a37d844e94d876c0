/** The SDK's requests over our transport: bounded in time and size, and only answers of the provider's kind get through. */
import type { Transport } from './transport.js';
import { TransportError } from './transport-error.js';

/** One instance takes some 10 KB; a hundred with all tags and interfaces less than this. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** A request as the SDK hands it over: what we use of it. */
interface SdkRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface SdkAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/** What the SDK's clients take as `requestHandler`. */
export interface SdkHandler {
  handle(request: SdkRequest, options?: { readonly abortSignal?: unknown }): Promise<{ readonly response: SdkAnswer }>;
  updateHttpClientConfig(): void;
  httpHandlerConfigs(): object;
  destroy(): void;
}

export function createSdkHandler(transport: Transport, attemptTimeoutMs: number): SdkHandler {
  return {
    async handle(request, options = {}) {
      const answer = await transport.exchange(
        {
          origin: new URL(
            `${request.protocol}//${request.hostname}${request.port === undefined ? '' : `:${request.port}`}`,
          ),
          method: request.method,
          target: targetOf(request),
          headers: Object.entries(request.headers).flat(),
          // Bodies of EC2, IAM and STS are texts; the token services of the credential chain send texts and bytes.
          body: request.body as string | Uint8Array | undefined,
        },
        { timeoutMs: attemptTimeoutMs, maxBytes: MAX_ANSWER_BYTES, signal: signalOf(options.abortSignal) },
      );
      return { response: { statusCode: answer.status, headers: { ...answer.headers }, body: judge(request, answer) } };
    },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
    // Connections are shared by all clients and end with the provider.
    destroy: () => undefined,
  };
}

/** @throws TransportError `not_understood` for a success that is no answer to what was asked. */
function judge(request: SdkRequest, { status, body }: { status: number; body: Uint8Array }): Uint8Array {
  const action = actionOf(request.body);
  if (action === undefined) return body;
  // A page of a proxy or a balancer: its status is all that counts.
  if (status >= 300) return isProviderErrorDocument(body) ? body : new Uint8Array();
  if (!isWholeAnswer(action, body)) throw new TransportError('not_understood', 'not the answer to what was asked');
  return body;
}

function targetOf({ path, query }: SdkRequest): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? value : [value];
    return values.map((each) => (each === null ? escapeUri(name) : `${escapeUri(name)}=${escapeUri(each)}`));
  });
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

function escapeUri(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The SDK knows two shapes of signals; both that reach us are the platform's. */
function signalOf(signal: unknown): AbortSignal | undefined {
  return signal instanceof AbortSignal ? signal : undefined;
}

/*
 * Whether an answer is whole: the SDK reads any XML, and finds no instances in a page of HTML or in an answer that was cut. "None"
 * would become a denial although the provider did not answer (ERROR-5).
 */
const OPENING = /^\s*(?:<\?xml[^>]{0,200}\?>\s*)?<([A-Za-z]{1,80})[\s>]/;
const LOOK_AT_BYTES = 1024;

/** The action of a request of the query protocol, or undefined for a request of another kind. */
function actionOf(body: unknown): string | undefined {
  return typeof body === 'string' ? /^Action=([A-Za-z]{1,64})&/.exec(body)?.[1] : undefined;
}

/** Whether the document begins and ends with the answer to the action. */
function isWholeAnswer(action: string, body: Uint8Array): boolean {
  const root = `${action}Response`;
  const bytes = asBuffer(body);
  const end = bytes.subarray(-LOOK_AT_BYTES).toString('latin1').trimEnd();
  return rootOf(bytes) === root && end.endsWith(`</${root}>`) && !bytes.includes('<!DOCTYPE');
}

/** Whether the document is an error as EC2, IAM and STS tell one. */
function isProviderErrorDocument(body: Uint8Array): boolean {
  const bytes = asBuffer(body);
  const root = rootOf(bytes);
  return (root === 'Response' || root === 'ErrorResponse') && !bytes.includes('<!DOCTYPE');
}

function rootOf(bytes: Buffer): string | undefined {
  return OPENING.exec(bytes.subarray(0, LOOK_AT_BYTES).toString('latin1'))?.[1];
}

function asBuffer(body: Uint8Array): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}
