/**
 * The tagged template of the page (PAGE-2): Hono's, which escapes every text, with what cannot be shown taken out
 * first. Only what this template or the README's renderer made is markup; a string never is.
 */
import { html as escaping, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { showable } from './showable-text.js';

export type Html = HtmlEscapedString;
/** Absent and false are nothing. */
export type HtmlChild = string | number | false | null | undefined | Html | readonly HtmlChild[];

/**
 * @example
 * ```ts
 * html`<p title="${untrusted}">${untrusted}</p>`;
 * ```
 */
export function html(strings: TemplateStringsArray, ...children: readonly HtmlChild[]): Html {
  // Hono answers a promise only where a child is or holds one: `HtmlChild` has none.
  return escaping(strings, ...children.map(cleaned)) as Html;
}

function cleaned(child: HtmlChild): HtmlChild {
  if (typeof child === 'string') return showable(child);
  // An `Html` is a String object at run time, so it is neither.
  return Array.isArray(child) ? child.map(cleaned) : child;
}

/** Markup that the caller made itself and vouches for. */
export function trustedHtml(markup: string): Html {
  return raw(markup);
}
