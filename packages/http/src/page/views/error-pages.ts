/** Refusals. A missing page and a forbidden one are the same page, byte for byte (REG-8). */
import { type Html, html } from '../html.js';
import { document, type Visit } from './document.js';

export type Refusal =
  | 'not_found'
  | 'foreign_form'
  | 'too_large'
  | 'bad_form'
  | 'conflict'
  | 'invalid'
  | 'too_many'
  | 'unavailable'
  | 'internal';

interface Words {
  readonly status: number;
  readonly title: string;
  readonly text: string;
}

const WORDS: Readonly<Record<Refusal, Words>> = {
  not_found: {
    status: 404,
    title: 'Not found',
    text: 'This page does not exist, or your token does not give you access to it.',
  },
  foreign_form: {
    status: 403,
    title: 'Form not accepted',
    text: 'The form was not sent from a page of your current session, so nothing was changed. Reload the page and try again.',
  },
  too_large: { status: 413, title: 'Too long', text: 'The form is too long, so nothing was changed.' },
  bad_form: { status: 415, title: 'Form not understood', text: 'The form could not be read, so nothing was changed.' },
  conflict: {
    status: 409,
    title: 'State has changed',
    text: 'The state of the version does not allow this, so nothing was changed.',
  },
  invalid: { status: 422, title: 'Invalid request', text: 'The address or the form contains an invalid value.' },
  too_many: {
    status: 429,
    title: 'Too many attempts',
    text: 'There were too many attempts to sign in from your address. Try again in a moment.',
  },
  unavailable: {
    status: 503,
    title: 'Temporarily unavailable',
    text: 'The registry is temporarily unavailable. Try again in a moment.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    text: 'The registry had an internal error. It has been logged.',
  },
};

export function refusalStatus(refusal: Refusal): number {
  return WORDS[refusal].status;
}

export interface RefusalDetails {
  /** More exactly than the usual words. */
  readonly text?: string | undefined;
  /** Where to go on. */
  readonly back?: { readonly path: string; readonly text: string } | undefined;
  /** For who reports it. Not on `not_found`. */
  readonly requestId?: string | undefined;
  /** Whole seconds: for the header. */
  readonly retryAfterSeconds?: number | undefined;
}

export function refusalPage(
  visit: Pick<Visit, 'site' | 'session'>,
  refusal: Refusal,
  details: RefusalDetails = {},
): Html {
  const { title, text } = WORDS[refusal];
  const { back = { path: visit.site.path, text: 'To the registry' }, requestId } = details;
  const body = html`<div class="stack"><h1>${title}</h1><p class="lead">${details.text ?? text}</p>
${requestId !== undefined && html`<p class="small muted">Request <span class="mono">${requestId}</span></p>`}
<p><a class="button second" href="${back.path}">${back.text}</a></p></div>`;
  return document(visit, { title, body, narrow: true });
}
