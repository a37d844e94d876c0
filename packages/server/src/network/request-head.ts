/**
 * Judges the head of a request before anything reads it: what two readers could understand in two ways is refused, not repaired (WIRE-26,
 * THREAT-41). Node has checked the grammar.
 */
import type { IncomingMessage } from 'node:http';

export interface HeadRefusal {
  readonly status: number;
  readonly text: string;
}

export const MAX_HEADERS = 100;

/** A segment `.` or `..`, escaped or not: proxies and servers do not agree on when it is resolved. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:[/?#]|$)/i;

/** @returns undefined for a head that is accepted. */
export function judgeHead({ rawHeaders, url = '' }: IncomingMessage): HeadRefusal | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS) return { status: 431, text: `more than ${MAX_HEADERS} headers` };
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return { status: 400, text: 'the Host header occurs twice' };
  const query = url.indexOf('?');
  if (DOT_SEGMENT.test(query < 0 ? url : url.slice(0, query)))
    return { status: 400, text: 'the path has a dot segment' };
  return undefined;
}
