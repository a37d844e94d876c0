/** A Hono application with routes of its own and Postern's below `/v1/`, one token for both. */

import { isAuthError } from '@postern/core-auth';
import { createHttpApp } from '@postern/http';
import { Hono } from 'hono';

/** @typedef {import('@hono/node-server').HttpBindings} Bindings what the Node adapter gives with a request */

/**
 * @param {import('@postern/core-auth').AuthMethod} method
 * @param {() => number} now epoch milliseconds
 */
export function createApp(method, now) {
  const postern = createHttpApp({
    method,
    // The socket's address. Behind a proxy: what your proxy says, and only if the request came from it.
    peerAddress: (_request, /** @type {Bindings} */ { incoming }) => incoming.socket.remoteAddress,
    health: () => ({ storageReachable: true, version: '1', serverTime: now() }),
    onError: (_error, at) => console.error('a defect, not a denial:', at.operation, at.requestId),
  });

  /** @type {Hono<{ Bindings: Bindings }>} */
  const app = new Hono();
  app.all('/v1/*', (context) => postern.fetch(context.req.raw, context.env));

  app.get('/hello', async (context) => {
    const token = /^Bearer (\S+)$/.exec(context.req.header('authorization') ?? '')?.[1];
    try {
      const { data } = await method.call({
        operation: 'token.lookup-self',
        params: {},
        fields: {},
        token,
        requestId: crypto.randomUUID(),
        peerAddress: context.env.incoming.socket.remoteAddress,
      });
      const policies = data?.['policies'];
      if (!Array.isArray(policies) || !policies.includes('web')) return context.text('not for you', 403);
      return context.text('hello');
    } catch (error) {
      if (!isAuthError(error)) throw error;
      return context.text(error.code, error.kind === 'forbidden' ? 401 : 503);
    }
  });
  return app;
}
