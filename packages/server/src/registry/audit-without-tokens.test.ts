/** A token in the place of a name reaches no audit trail (THREAT-36), and nothing else of the event is lost. */
import type { AuditEvent } from '@postern/ports';
import { expect, it } from 'vitest';
import { auditWithoutTokens } from './token-authorizer.js';

it.each([
  [undefined, undefined],
  [{ namespace: 'acme' }, { namespace: 'acme' }],
  [
    { namespace: `pst_${'A'.repeat(43)}`, module: 'pst_network' },
    { namespace: '(a token)', module: 'pst_network' },
  ],
])('of %j is told %j', async (details, told) => {
  const events: AuditEvent[] = [];
  const event: AuditEvent = {
    id: 'event-1',
    time: 1,
    requestId: 'r',
    operation: 'registry.access',
    outcome: 'denied',
    details,
  };
  await auditWithoutTokens({ record: (one) => void events.push(one) }).record(event);
  expect(events).toEqual([{ ...event, details: told }]);
});
