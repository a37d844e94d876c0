/** Texts of events without tokens of this server: somebody pasted one where a name belongs, also within a longer one (THREAT-36). */
import type { AuditEvent } from '@postern/ports';

/** Of service and batch tokens. Their secret part is longer than any name that begins so by chance. */
const TOKEN = /pst_[\w-]{22,}/gi;

export function redactTokens(text: string): string {
  return text.includes('_') ? text.replace(TOKEN, '(a token)') : text;
}

/** The texts that a caller can choose. */
export function redactEvent<Event extends Omit<AuditEvent, 'id'>>(event: Event): Event {
  const { role, principal, details, changes } = event;
  return {
    ...event,
    ...(role === undefined ? {} : { role: redactTokens(role) }),
    ...(principal === undefined ? {} : { principal: redactTokens(principal) }),
    ...(changes === undefined ? {} : { changes: redactAll(changes) }),
    ...(details === undefined ? {} : { details: redactAll(details) }),
  };
}

function redactAll(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, redactTokens(text)]));
}
