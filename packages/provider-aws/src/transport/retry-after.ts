/** When the provider says to come again: seconds, or a date. */
import type { EpochMillis } from '@postern/ports';

/** Nobody is sent away for longer, whatever the provider says. */
const MAX_SECONDS = 3600;

/** Whole seconds from `now`, at least 1; undefined where the header says nothing that can be read. */
export function parseRetryAfter(header: string | undefined, now: EpochMillis): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Math.min(Math.max(Number(text), 1), MAX_SECONDS);
  const at = / GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) return undefined;
  return Math.min(Math.max(Math.ceil((at - now) / 1000), 1), MAX_SECONDS);
}
