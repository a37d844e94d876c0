/** Boxes that scroll by themselves, so that a wide table never widens the page of a phone. Reachable by keyboard. */
import { type Html, type HtmlChild, html } from './html.js';

/** @param labelledBy id of the heading above it. */
export function scrollBox(labelledBy: string, table: Html): Html {
  return html`<div class="scroll" role="group" aria-labelledby="${labelledBy}" tabindex="0">${table}</div>`;
}

/** Rows that a table shows; the rest is only counted. */
const MAX_ROWS = 500;

export interface Column {
  readonly title: string;
  /** A class of the style sheet: `wide`, `shrink`. */
  readonly width?: 'wide' | 'shrink';
}

/** A table whose first column names the row. `row` answers one cell for each column. */
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
