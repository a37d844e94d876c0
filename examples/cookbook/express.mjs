// #region express
import { getRequestListener } from '@hono/node-server';
import { createAuthApp } from '@postern/http/auth';
import express from 'express';
import { health } from './health.mjs';

/** @param {import('@postern/core-auth').AuthMethod} method */
export function createExpressApp(method) {
  const postern = createAuthApp({
    method,
    health,
    peerAddress: (_request, /** @type {import('@hono/node-server').HttpBindings} */ { incoming }) =>
      incoming.socket.remoteAddress,
  });

  const app = express();
  // Before any body parser: a parser would consume the body, and Postern would answer 400 body_invalid.
  // `all`, not `use`: `use` removes the prefix from the path.
  app.all(
    '/v1/*path',
    getRequestListener((request, env) => postern.fetch(request, /** @type {never} */ (env))),
  );
  app.use(express.json());
  app.post('/jobs', (request, response) => response.json({ accepted: request.body.name }));
  return app;
}
// #endregion
