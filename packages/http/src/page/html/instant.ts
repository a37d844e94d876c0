/** Instants as people read them, always in UTC: the server does not know where its visitor is. */
import { formatInstant } from '@postern/core-registry';
import type { EpochMillis } from '@postern/ports';
import { type Html, html } from './html.js';

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
