// #region vitest
import { createTestWorld } from '@postern/testkit/world';
import { expect, it } from 'vitest';

it('rejects a token that has expired', async () => {
  const { auth, clock, login } = createTestWorld();
  const { token } = await login({ policies: ['web'] });
  clock.advance(768 * 3_600_000);
  const call = { requestId: 'a1b2', peerAddress: undefined };
  expect(await auth.useToken(token, call)).toBeUndefined();
});
// #endregion
