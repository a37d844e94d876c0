// #region bun
import { handle } from './gate.mjs';

export default {
  /** @param {Request} request @param {{ requestIP(request: Request): { address: string } | null }} server */
  fetch: (request, server) => handle(request, server.requestIP(request)?.address),
};
// #endregion
