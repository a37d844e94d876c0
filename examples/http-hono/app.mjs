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
    const token = /^Bearer (\S+)$/.exec(context.req.header('authorization') ?? '')?.[1] ?? '';
    const peerAddress = context.env.incoming.socket.remoteAddress;
    try {
      const holder = await method.useToken(token, { requestId: crypto.randomUUID(), peerAddress });
      if (holder === undefined) return context.text('permission_denied', 401);
      return holder.policies.includes('web') ? context.text('hello') : context.text('not for you', 403);
    } catch (error) {
      // Not checked, so neither a yes nor a no: storage is down, for example.
      if (!isAuthError(error)) throw error;
      return context.text(error.code, 503);
    }
  });
  return app;
}
