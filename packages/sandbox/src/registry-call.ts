/** Calls of the tour to the registry: shown, and held to the status that they should have. */
import * as z from 'zod';
import { type Caller, type Tour, TourFailure } from './tour.js';

export interface RegistryCall {
  readonly method: 'GET' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly by: Caller;
  /** A JSON:API document, or an archive with what to show in its place. */
  readonly body?: { readonly document: unknown } | { readonly archive: Uint8Array; readonly shown: string };
  readonly status: number;
}

const JSON_API = 'application/vnd.api+json';

/** @returns the answer's text. @throws TourFailure when the status is not what it should be. */
export async function callRegistry(tour: Tour, { method, path, by, body, status }: RegistryCall): Promise<string> {
  const isDocument = body !== undefined && 'document' in body;
  tour.pages.sent(method, path, by.name, isDocument ? body.document : body?.shown);
  const response = await fetch(tour.url + path, {
    method,
    headers: {
      ...(by.token === undefined ? {} : { authorization: `Bearer ${by.token}` }),
      ...(body === undefined ? {} : { 'content-type': isDocument ? JSON_API : 'application/gzip' }),
    },
    ...(body === undefined ? {} : { body: isDocument ? JSON.stringify(body.document) : Uint8Array.from(body.archive) }),
  });
  const text = await response.text();
  tour.pages.received(response.status, response.ok ? undefined : titleOf(text));
  if (response.status !== status) throw new TourFailure(`the status should be ${status}, it is ${response.status}`);
  return text;
}

const refusal = z.object({ errors: z.array(z.object({ title: z.string(), detail: z.string() })) });

/** Undefined for what is no JSON:API error, such as a page. */
function titleOf(text: string): unknown {
  try {
    return refusal.parse(JSON.parse(text)).errors[0];
  } catch {
    return undefined;
  }
}
