/**
 * The building blocks of every page: the tagged template, which escapes every text (PAGE-2), untrusted text made harmless,
 * links that leave the registry (PAGE-7), tables, times. Only what this template or the README's renderer made is markup; a
 * string never is.
 */
import { formatInstant } from '@postern/core-registry';
import type { EpochMillis } from '@postern/ports';
import { html as escaping, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

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

/**
 * Text that acts: escape sequences for somebody who copies it into a terminal, and characters that reorder what follows
 * them. Control characters but newline and tab, separators, unpaired surrogates, embeddings, overrides and isolates.
 */
const UNSHOWABLE = /[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu;

/** Each such character becomes U+FFFD, so that readers see that something was there; CR LF becomes LF. */
export function showable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSHOWABLE, '\ufffd');
}

/** The beginning of a text, cut between characters, with an ellipsis where there was more. */
export function excerpt(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const cut = text.slice(0, maxCharacters);
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/**
 * A box that scrolls by itself, so that a wide table does not widen a phone's page. Reachable by keyboard.
 *
 * @param labelledBy id of the heading above it.
 */
export function scrollBox(labelledBy: string, table: Html): Html {
  return html`<div class="scroll" role="group" aria-labelledby="${labelledBy}" tabindex="0">${table}</div>`;
}

/** Rows that a table shows; the others are counted. */
const MAX_ROWS = 500;

export interface Column {
  readonly title: string;
  /** A class of the style sheet: `wide`, `shrink`. */
  readonly width?: 'wide' | 'shrink';
}

/** A table whose first column names the row. `row` returns one cell for each column. */
export function dataTable<T>(
  labelledBy: string,
  columns: readonly Column[],
  items: readonly T[],
  row: (item: T) => readonly HtmlChild[],
): Html {
  const head = columns.map(({ title, width }) => html`<th scope="col" class="${width ?? ''}">${title}</th>`);
  const rows = items.slice(0, MAX_ROWS).map((item) => {
    const [first, ...others] = row(item);
    return html`<tr><th scope="row">${first}</th>${others.map((cell) => html`<td>${cell}</td>`)}</tr>`;
  });
  const left = items.length - rows.length;
  const table = html`<table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table>`;
  return html`${scrollBox(labelledBy, table)}${left > 0 && html`<p class="muted">And ${left} more.</p>`}`;
}

/** No endorsement, no access to the opener, no referrer. */
export const EXTERNAL_REL = 'nofollow noopener noreferrer';

const MAX_HREF_CHARACTERS = 2000;
const MAX_LABEL_CHARACTERS = 120;

/** A URL for `href`; undefined for another scheme, user info (shows one host, opens another), or an invalid URL. */
export function externalHref(text: string): string | undefined {
  if (text.length > MAX_HREF_CHARACTERS || !/^https?:\/\/[^\s/?#\\]/i.test(text)) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url === undefined || url.username !== '' || url.password !== '' ? undefined : url.href;
}

/** A link, or its text alone where it may not be one. */
export function externalLink(target: string, label: string = target): Html {
  const href = externalHref(target);
  const text = excerpt(label, MAX_LABEL_CHARACTERS);
  return href === undefined ? html`${text}` : html`<a href="${href}" rel="${EXTERNAL_REL}">${text}</a>`;
}

/** Times are in UTC: the server does not know where its visitor is. */
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** `31 Jan 2027`. */
export function dayText(instant: EpochMillis): string {
  const [year = '', month = '', day = ''] = formatInstant(instant).slice(0, 10).split('-');
  return `${Number(day)} ${MONTHS[Number(month) - 1] ?? month} ${year}`;
}

export function dayTime(instant: EpochMillis): Html {
  return html`<time datetime="${formatInstant(instant)}">${dayText(instant)}</time>`;
}

/** `31 Jan 2027, 12:04 UTC`. */
export function minuteTime(instant: EpochMillis): Html {
  const text = formatInstant(instant);
  return html`<time datetime="${text}">${dayText(instant)}, ${text.slice(11, 16)} UTC</time>`;
}
