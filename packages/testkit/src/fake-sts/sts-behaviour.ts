/** How the fake STS misbehaves on demand: what it does instead of answering, and how late. */
import type { Times } from '../fake-cloud/behaviour.js';
import { errorAnswer, type StsAnswer } from './sts-answer.js';

/** Outcome of a call that is set to fail. */
export type Misbehaviour = 'throttled' | 'failed' | 'replaced' | 'redirected' | 'hung' | 'cut';

export interface StsBehaviour {
  /** `Throttling`, with `Retry-After` when told. */
  throttle(options?: Times & { readonly status?: 400 | 429 | 503; readonly retryAfterSeconds?: number }): void;
  /** A failure of the service itself; `html` answers as a proxy before it would. */
  fail(
    status: 500 | 502 | 503 | 504,
    options?: Times & { readonly html?: boolean; readonly retryAfterSeconds?: number },
  ): void;
  /** Answers this, whatever was asked and however it was signed. */
  answer(answer: StsAnswer, options?: Times): void;
  /** 301 to another place. */
  redirect(location: string, options?: Times): void;
  /** Takes the request and never answers. */
  hang(options?: Times): void;
  /** Closes the connection in the middle of a good answer. */
  closeMidAnswer(options?: Times): void;
  /** Answers after so many milliseconds of the given `sleep`, with what was true when the call came in. */
  lag(milliseconds: number, options?: Times): void;
  /** Back to prompt and truthful answers. Calls that hang go on hanging. */
  restore(): void;
}

/** What to do with one call. */
export interface StsPlan {
  readonly outcome: Misbehaviour | undefined;
  /** In place of the true answer. */
  readonly answer: StsAnswer | undefined;
  readonly lagMilliseconds: number;
}

export interface GovernedSts extends StsBehaviour {
  /** Takes the plan for a call that has just come in. */
  next(): StsPlan;
}

interface Lasting<T> {
  readonly what: T;
  left: number;
}

export function governSts(requestId: () => string): GovernedSts {
  let wrong: Lasting<{ readonly outcome: Misbehaviour; readonly answer?: () => StsAnswer }> | undefined;
  let delay: Lasting<number> | undefined;

  const plan = (outcome: Misbehaviour, { times }: Times = {}, answer?: () => StsAnswer): void => {
    wrong = { what: { outcome, ...(answer === undefined ? {} : { answer }) }, left: times ?? Number.POSITIVE_INFINITY };
  };
  const withRetryAfter = (answer: StsAnswer, retryAfterSeconds: number | undefined): StsAnswer =>
    retryAfterSeconds === undefined ? answer : { ...answer, retryAfterSeconds };

  return {
    throttle: ({ status = 429, retryAfterSeconds, ...times } = {}) =>
      plan('throttled', times, () =>
        withRetryAfter(errorAnswer(status, 'Throttling', 'Rate exceeded', requestId()), retryAfterSeconds),
      ),
    fail: (status, { html = false, retryAfterSeconds, ...times } = {}) =>
      plan('failed', times, () => {
        const made: StsAnswer = html
          ? { status, contentType: 'text/html', body: `<html><body><h1>${status}</h1></body></html>\n` }
          : errorAnswer(status, 'InternalFailure', 'The request processing has failed', requestId());
        return withRetryAfter(made, retryAfterSeconds);
      }),
    answer: (answer, times) => plan('replaced', times, () => answer),
    redirect: (location, times) =>
      plan('redirected', times, () => ({
        status: 301,
        contentType: 'text/html',
        body: '<html><body>Moved</body></html>\n',
        headers: { Location: location },
      })),
    hang: (times) => plan('hung', times),
    closeMidAnswer: (times) => plan('cut', times),
    lag: (milliseconds, { times } = {}) => {
      delay = { what: milliseconds, left: times ?? Number.POSITIVE_INFINITY };
    },
    restore: () => {
      wrong = undefined;
      delay = undefined;
    },
    next() {
      const planned = take(wrong);
      return { outcome: planned?.outcome, answer: planned?.answer?.(), lagMilliseconds: take(delay) ?? 0 };
    },
  };
}

function take<T>(lasting: Lasting<T> | undefined): T | undefined {
  if (lasting === undefined || lasting.left <= 0) return undefined;
  lasting.left--;
  return lasting.what;
}
