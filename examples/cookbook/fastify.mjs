// #region fastify
import { getRequestListener } from '@hono/node-server';
import { createAuthApp } from '@postern/http/auth';
import fastify from 'fastify';
import { health } from './health.mjs';

/** @param {import('@postern/core-auth').AuthMethod} method */
export function createFastifyApp(method) {
  const postern = createAuthApp({
    method,
    health,
    peerAddress: (_request, /** @type {import('@hono/node-server').HttpBindings} */ { incoming }) =>
      incoming.socket.remoteAddress,
  });
  const listener = getRequestListener((request, env) => postern.fetch(request, /** @type {never} */ (env)));

  const app = fastify();
  // A scope of its own: here no parser reads the body, so that Postern can.
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    scope.all('/v1/*', async (request, reply) => {
      reply.hijack();
      await listener(request.raw, reply.raw);
    });
    done();
  });
  app.post('/jobs', async ({ body }) => ({ accepted: /** @type {{ name: string }} */ (body).name }));
  return app;
}
// #endregion
