/** A worker that logs in, renews, restarts and leaves: `node examples/login-client/main.mjs`. */
import { once } from 'node:events';
import { isPosternClientError, memoryNonceStore } from '@postern/client';
import { openStage } from './stage.mjs';
import { startWorker } from './worker.mjs';

const stage = await openStage();
const heard = new EventTarget();
const log = (/** @type {string} */ line) => {
  console.log(line);
  heard.dispatchEvent(new Event(line.split(':')[0] ?? ''));
};

const first = startWorker({ ...stage, log });
const renewed = once(heard, 'renew');
const token = await first.session.token();
await renewed;
console.log(`still the same token: ${(await first.session.token()) === token}`);
await first.session.close();

const second = startWorker({ ...stage, log });
await second.session.token();
console.log('started again, let in by the nonce that was kept');

const evidence = { instanceId: stage.instance.instanceId, proof: { pkcs7: stage.instance.identityDocument().rsa2048 } };
const stranger = second.client.loginWithInstance({ role: 'web', nonces: memoryNonceStore(), evidence });
console.log(
  await stranger.then(
    () => 'a stranger was let in',
    (error) => `a stranger with the same document: ${isPosternClientError(error) ? error.code : error}`,
  ),
);
await second.session.close();
await stage.close();
