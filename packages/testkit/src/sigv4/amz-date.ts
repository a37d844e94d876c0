/** Instants as Signature Version 4 writes them: ISO 8601 basic, in seconds, UTC. */
import type { EpochMillis } from '@postern/ports';

/** `20150830T123600Z`; fractions of a second are dropped. */
export function amzDateText(instant: EpochMillis): string {
  return `${new Date(instant).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}

/** The instant, or undefined when the text is not of that form or names no real instant. */
export function parseAmzDate(text: string): EpochMillis | undefined {
  const match = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const instant = Date.UTC(year, month - 1, day, hour, minute, second);
  return amzDateText(instant) === text ? instant : undefined;
}
