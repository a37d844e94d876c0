// #region worker
import { handle } from './gate.mjs';

export default {
  /** @param {Request} request */
  fetch: (request) => handle(request, request.headers.get('cf-connecting-ip') ?? undefined),
};
// #endregion
