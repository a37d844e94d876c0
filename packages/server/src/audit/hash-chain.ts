/**
 * Lines of the audit log, chained (AUDIT-10): each carries its number and the hash of the line before it, and a hash of its
 * own over both and all that it says. A line that was changed, removed or inserted breaks the chain at its place. The chain is
 * not keyed: against one who rewrites the log to its end, keep the last hash elsewhere (a second sink does).
 */
import { hash as digest } from 'node:crypto';
import type { AuditEvent } from '@postern/ports';

/** Where a chain stands. */
export interface ChainEnd {
  readonly seq: number;
  /** Base64url SHA-256; empty before the first line. */
  readonly hash: string;
}

export const CHAIN_START: ChainEnd = { seq: 0, hash: '' };

/**
 * The line of an event, without its line end, and where the chain stands after it.
 *
 * @param text the event as JSON.
 */
export function chainLine(
  event: AuditEvent,
  before: ChainEnd,
  text = JSON.stringify(event),
): { readonly line: string; readonly end: ChainEnd } {
  const seq = before.seq + 1;
  // The one member of that name that is a number: all others are texts, whose quotes are escaped.
  const dated = text.replace(`"time":${event.time}`, `"time":"${new Date(event.time).toISOString()}"`);
  const body = `${dated.slice(0, -1)},"seq":${seq},"prev":"${before.hash}"}`;
  const hash = hashOf(body);
  return { line: `${body.slice(0, -1)},"hash":"${hash}"}`, end: { seq, hash } };
}

/** A line as it stands in a log. */
export interface ChainedLine extends ChainEnd {
  readonly prev: string;
  readonly id: string;
  /** Whether the hash is that of the line. */
  readonly isSound: boolean;
}

const HASH_AT_END = /,"hash":"([\w-]{43})"\}$/;

/** Undefined for what is no chained line. */
export function readChainedLine(line: string): ChainedLine | undefined {
  const [tail, hash] = HASH_AT_END.exec(line) ?? [];
  if (tail === undefined || hash === undefined) return undefined;
  const body = `${line.slice(0, -tail.length)}}`;
  let said: unknown;
  try {
    said = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof said !== 'object' || said === null) return undefined;
  const { seq, prev, id } = said as Readonly<Record<string, unknown>>;
  if (typeof seq !== 'number' || typeof prev !== 'string' || typeof id !== 'string') return undefined;
  return { seq, prev, id, hash, isSound: hashOf(body) === hash };
}

function hashOf(body: string): string {
  return digest('sha256', body, 'base64url');
}
