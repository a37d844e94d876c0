// #region hono
import { createAuthApp } from '@postern/http/auth';
import { Hono } from 'hono';
import { health } from './health.mjs';

/** @typedef {import('@hono/node-server').HttpBindings} Bindings what the Node adapter passes with a request */

/** @param {import('@postern/core-auth').AuthMethod} method */
export function createHonoApp(method) {
  const postern = createAuthApp({
    method,
    health,
    peerAddress: (_request, /** @type {Bindings} */ { incoming }) => incoming.socket.remoteAddress,
  });

  /** @type {Hono<{ Bindings: Bindings }>} */
  const app = new Hono();
  app.all('/v1/*', (context) => postern.fetch(context.req.raw, context.env));
  app.post('/jobs', async (context) => context.json({ accepted: (await context.req.json()).name }));
  return app;
}
// #endregion
