// #region deno
import { handle } from './gate.mjs';

export default {
  /** @param {Request} request @param {{ remoteAddr: { hostname: string } }} info */
  fetch: (request, { remoteAddr }) => handle(request, remoteAddr.hostname),
};
// #endregion
