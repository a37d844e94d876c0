// #region lambda
import { createAuthApp } from '@postern/http/auth';
import { health } from './health.mjs';

/**
 * @typedef {object} Event of an HTTP API or a function URL, payload format 2.0
 * @property {string} rawPath
 * @property {string} rawQueryString
 * @property {Record<string, string>} headers
 * @property {string} [body]
 * @property {boolean} isBase64Encoded
 * @property {{ domainName: string, http: { method: string, sourceIp: string } }} requestContext
 */

/** @param {import('@postern/core-auth').AuthMethod} method over storage that outlives the function: PostgreSQL, or your own */
export function createHandler(method) {
  /** @type {import('@postern/http/auth').HttpApp<Event>} */
  const postern = createAuthApp({
    method,
    health,
    peerAddress: (_request, { requestContext }) => requestContext.http.sourceIp,
  });

  /** @param {Event} event */
  return async (event) => {
    const { domainName, http } = event.requestContext;
    const query = event.rawQueryString === '' ? '' : `?${event.rawQueryString}`;
    const body = event.body === undefined ? null : Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8');
    const request = new Request(`https://${domainName}${event.rawPath}${query}`, {
      method: http.method,
      headers: event.headers,
      body,
    });
    const response = await postern.fetch(request, event);
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    };
  };
}
// #endregion
