/** Pages that say no. What is not there and what is not this visitor's to see are one page, byte for byte (REG-8). */
import { type Html, html } from '../html.js';
import type { Visit } from '../site.js';
import { document } from './document.js';

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
    text: 'There is no such page, or your token does not let you see it.',
  },
  foreign_form: {
    status: 403,
    title: 'Form not accepted',
    text: 'The form did not come from a page of your present session, so nothing was changed. Open the page anew and try again.',
  },
  too_large: { status: 413, title: 'Too long', text: 'What was sent is too long, so nothing was changed.' },
  bad_form: { status: 415, title: 'Form not understood', text: 'The form could not be read, so nothing was changed.' },
  conflict: {
    status: 409,
    title: 'State has changed',
    text: 'The state of the version does not allow this, so nothing was changed.',
  },
  invalid: { status: 422, title: 'Not understood', text: 'Something in the address or the form is not as it must be.' },
  too_many: {
    status: 429,
    title: 'Too many attempts',
    text: 'There were too many attempts to sign in from your address. Try again in a moment.',
  },
  unavailable: {
    status: 503,
    title: 'Not available now',
    text: 'The registry could not find out what it needs. Try again in a moment.',
  },
  internal: {
    status: 500,
    title: 'Something went wrong',
    text: 'This is a defect of the registry. It has been reported.',
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
