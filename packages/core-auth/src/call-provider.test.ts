/** What a failure of the provider tells to whom: the caller a code, the audit event the cause (O5). */
import { ProviderError } from '@postern/ports';
import { expect, it } from 'vitest';
import { callProvider } from './call-provider.js';

const failureOf = (error: ProviderError) =>
  callProvider(() => Promise.reject(error)).catch((thrown: unknown) => thrown);

it('O5: the code and request id of the provider are the reason of the event, and not in the text for the caller', async () => {
  const facts = { cloudCode: 'UnauthorizedOperation', cloudRequestId: 'a1-b2' };
  for (const code of ['unavailable', 'denied', 'misconfigured', 'account_not_allowed'] as const) {
    const failure = await failureOf(new ProviderError(code, 'for the log', facts));
    expect(failure).toMatchObject({ name: 'AuthError', reason: 'UnauthorizedOperation (request a1-b2)', details: {} });
    expect(String(failure)).not.toContain('UnauthorizedOperation');
  }
  expect(await failureOf(new ProviderError('denied', 'x', { cloudCode: 'Denied' }))).toMatchObject({
    reason: 'Denied',
  });
  expect(await failureOf(new ProviderError('denied', 'x'))).toMatchObject({ reason: undefined });
});
