/** The SDK's own client on a network under the test's hand: what it sends is recorded, what it gets is given. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** One answer of DynamoDB; `Error`: none comes. */
export type Answer =
  | Error
  | { readonly status: number; readonly body: object; readonly headers?: Readonly<Record<string, string>> };

export const DONE: Answer = { status: 200, body: {} };
export const LOST: Answer = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
/** Nothing until the request is given up. */
export const SILENT: Answer = new Error('silent');
export const UNSENT: Answer = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });

export const exception = (name: string, status = 400, more: object = {}): Answer => ({
  status,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: 'no', ...more },
});

export const cancelled = (...codes: readonly string[]): Answer =>
  exception('TransactionCanceledException', 400, { CancellationReasons: codes.map((Code) => ({ Code })) });

/** Long where the call ends well, which a busy machine may delay; short where it is answered so until its time is over. */
export const timeoutFor = (last: Answer | undefined) => (last instanceof Error || last?.status !== 200 ? 500 : 10_000);

export interface AnsweringClient {
  readonly client: DynamoDBClient;
  /** What was sent, in order. */
  readonly requests: readonly Readonly<Record<string, unknown>>[];
}

/** @param answers in order; the last one is repeated. */
export function createAnsweringClient(...answers: readonly Answer[]): AnsweringClient {
  const requests: Readonly<Record<string, unknown>>[] = [];
  const client = new DynamoDBClient({
    region: 'eu-west-1',
    endpoint: 'http://127.0.0.1:9',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
    requestHandler: {
      async handle(request: { readonly body?: unknown }, { abortSignal }: { readonly abortSignal?: EventTarget } = {}) {
        requests.push(JSON.parse(textOf(request.body)));
        const answer = answers[Math.min(requests.length, answers.length) - 1] ?? DONE;
        if (answer === SILENT) await new Promise((resolve) => abortSignal?.addEventListener('abort', resolve));
        if (answer instanceof Error) throw answer;
        const headers = { 'content-type': 'application/x-amz-json-1.0', ...answer.headers };
        const body = new TextEncoder().encode(JSON.stringify(answer.body));
        return { response: { statusCode: answer.status, headers, body } };
      },
    },
  });
  return { client, requests };
}

const textOf = (body: unknown) => (body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body));
