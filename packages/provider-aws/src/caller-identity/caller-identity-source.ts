/**
 * Sends a GetCallerIdentity request that core rebuilt: exactly as it stands, once, to the operator's endpoint, following no
 * redirect (LOGIN-4, STS-8, STS-11, LOGIN-7, THREAT-18, THREAT-20). What the answer means is core's to judge.
 */
import { type CallerIdentitySource, type Clock, ProviderError } from '@postern/ports';
import { parseEndpoint } from '../endpoint.js';
import { toProviderError } from '../sdk/sdk-error.js';
import { parseRetryAfter } from '../transport/retry-after.js';
import type { Transport, TransportAnswer } from '../transport/transport.js';
import { gaveUp, RETRY_AFTER_SECONDS } from '../waiting.js';

/** A longer answer comes one byte too long: core denies it, unless its status says that STS did not judge (STS-11). */
const MAX_ANSWER_BYTES = 64 * 1024;

export function createCallerIdentitySource(
  transport: Transport,
  options: { readonly clock: Clock; readonly totalTimeoutMs: number },
): CallerIdentitySource {
  const { clock, totalTimeoutMs } = options;
  return {
    async send(request, call) {
      const signal = call?.signal;
      const origin = parseEndpoint(request.endpoint, 'the endpoint of STS');
      let answer: TransportAnswer;
      try {
        answer = await transport.exchange(
          {
            origin,
            method: request.method,
            target: request.target,
            headers: request.headers.flat(),
            body: request.body,
          },
          { timeoutMs: totalTimeoutMs, maxBytes: MAX_ANSWER_BYTES + 1, cut: true, signal },
        );
      } catch (error) {
        throw signal?.aborted === true ? gaveUp(signal) : toProviderError(error, 'STS', clock.now());
      }
      requireWhole(answer);
      return {
        status: answer.status,
        contentType: answer.headers['content-type'],
        body: answer.body,
        retryAfterSeconds: parseRetryAfter(answer.headers['retry-after'], clock.now()),
      };
    },
  };
}

/** An answer that ends where the connection ends may be cut anywhere: nobody can tell, so nobody has answered. */
function requireWhole({ headers, body }: TransportAnswer): void {
  const isFramed = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (isFramed || body.byteLength === 0) return;
  const options = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  throw new ProviderError('unavailable', 'STS: an answer that does not say where it ends', options);
}
