/** Links to the pages before and after. */
import { type Html, html } from '../html/html.js';

export interface PageLinks {
  readonly previous?: string | undefined;
  readonly next?: string | undefined;
  /** `1 to 100 of 240` */
  readonly text?: string | undefined;
  /** What is paged, for those who hear the page: `Versions`. */
  readonly label: string;
}

export function pageLinks({ previous, next, text, label }: PageLinks): Html | false {
  if (previous === undefined && next === undefined) return false;
  return html`<nav class="pages small" aria-label="${label}">
${previous !== undefined && html`<a href="${previous}" rel="prev">Previous</a>`}
${text !== undefined && html`<span class="muted">${text}</span>`}
${next !== undefined && html`<a href="${next}" rel="next">Next</a>`}</nav>`;
}

/** A path with those parameters that are given. */
export function withQuery(path: string, parameters: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** A whole number from 0 to `most`; 0 for anything else. */
export function wholeNumber(text: string | null, most: number): number {
  return text !== null && /^\d{1,9}$/.test(text) ? Math.min(Number(text), most) : 0;
}
