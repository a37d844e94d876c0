/**
 * The registry's audit events, without a token that somebody pasted where a name belongs (THREAT-36). A service token is
 * spelled like a name, so the registry, which knows no issuer's tokens, cannot tell it from one.
 */
import { looksLikeToken } from '@postern/core-auth';
import type { AuditSink } from '@postern/ports';

export function auditWithoutTokens(sink: AuditSink): AuditSink {
  return {
    record: (event) => sink.record(event.details === undefined ? event : { ...event, details: hidden(event.details) }),
  };
}

function hidden(details: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const told = Object.entries(details).map(
    ([name, text]) => [name, looksLikeToken(text) ? '(a token)' : text] as const,
  );
  return Object.fromEntries(told);
}
