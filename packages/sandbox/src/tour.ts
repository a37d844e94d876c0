/** What the guided tour is made of: calls over the public HTTP API, each shown, each held to what it should answer. */
import * as z from 'zod';
import type { Pages } from './pages.js';

/** A step did not go as it should. */
export class TourFailure extends Error {
  override readonly name = 'TourFailure';
}

/** The parts of an answer that the tour looks at. */
const answerSchema = z.object({
  code: z.string().optional(),
  data: z.record(z.string(), z.unknown()).nullish(),
  auth: z
    .object({ client_token: z.string(), lease_duration: z.number(), metadata: z.record(z.string(), z.string()) })
    .nullish(),
});

export type Answer = Readonly<z.infer<typeof answerSchema>> & { readonly status: number };

/** Who makes a call: shown beside it, with the token it is made with. */
export interface Caller {
  readonly name: string;
  readonly token: string | undefined;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'LIST' | 'DELETE';
  readonly path: string;
  readonly by: Caller;
  readonly body?: Readonly<Record<string, unknown>>;
  /** What it must answer. */
  readonly status: number;
  /** The code that a denial must carry. */
  readonly code?: string;
}

export interface Tour {
  /** Of the server. */
  readonly url: string;
  readonly pages: Pages;
  /** @throws TourFailure when the answer is not what it should be. */
  call(call: Call): Promise<Answer>;
}

export function createTour(url: string, pages: Pages): Tour {
  return {
    url,
    pages,
    async call({ method, path, by, body, status, code }) {
      pages.sent(method, path, by.name, body);
      const response = await fetch(url + path, {
        method,
        headers: by.token === undefined ? {} : { 'x-service-token': by.token },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const received: unknown = text === '' ? undefined : JSON.parse(text);
      pages.received(response.status, received);
      const answer: Answer = { ...answerSchema.parse(received ?? {}), status: response.status };
      if (answer.status !== status) throw new TourFailure(`the status should be ${status}, it is ${answer.status}`);
      if (answer.code !== code) throw new TourFailure(`the code should be ${code ?? 'absent'}, it is ${answer.code}`);
      return answer;
    },
  };
}

/** The `auth` of an answer that must have one. */
export function grantOf(answer: Answer): NonNullable<Answer['auth']> {
  if (answer.auth === undefined || answer.auth === null) throw new TourFailure('the answer should carry a token');
  return answer.auth;
}
