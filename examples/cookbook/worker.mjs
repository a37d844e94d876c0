// #region worker
import { createAuthMethod } from '@postern/core-auth';
import { createWebCrypto } from '@postern/crypto-web';
import { createAuthApp } from '@postern/http/auth';
import { health } from './health.mjs';

/**
 * @param {import('@postern/ports').Storage} storage shared by all isolates: your own adapter over the platform's database
 * @param {import('@postern/ports').Cloud} cloud your own: the AWS SDK's clients need Node
 * @param {import('@postern/core-auth').AuthOptions} [options]
 */
export function createWorker(storage, cloud, options) {
  const method = createAuthMethod(
    { storage, crypto: createWebCrypto(), cloud, audit: { record: (event) => console.log(JSON.stringify(event)) } },
    options,
  );
  const postern = createAuthApp({
    method,
    health,
    peerAddress: (request) => request.headers.get('cf-connecting-ip') ?? undefined,
  });
  return {
    /** @param {Request} request */
    fetch: (request) => postern.fetch(request, undefined),
    // Once an hour it removes what has expired; call it from a scheduled event.
    scheduled: () => method.runPeriodicTidy(),
  };
}
// #endregion
