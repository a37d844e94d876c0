// #region trpc
import { isAuthError } from '@postern/core-auth';
import { initTRPC, TRPCError } from '@trpc/server';

/**
 * @typedef {object} Context
 * @property {import('@postern/core-auth').AuthMethod} method
 * @property {string | undefined} token from the Authorization header
 * @property {string | undefined} peerAddress
 */

const t = /** @type {ReturnType<typeof initTRPC.context<Context>>} */ (initTRPC.context()).create();

/** Procedures behind it know their caller as `ctx.holder`. */
const authenticated = t.procedure.use(async ({ ctx, next }) => {
  const { method, token, peerAddress } = ctx;
  try {
    const holder = token && (await method.useToken(token, { requestId: crypto.randomUUID(), peerAddress }));
    if (!holder) throw new TRPCError({ code: 'UNAUTHORIZED' });
    return next({ ctx: { ...ctx, holder } });
  } catch (error) {
    if (isAuthError(error)) throw new TRPCError({ code: 'SERVICE_UNAVAILABLE', cause: error });
    throw error;
  }
});

export const router = t.router({
  whoAmI: authenticated.query(({ ctx }) => ({ name: ctx.holder.name, policies: ctx.holder.policies })),
});
export const createCaller = t.createCallerFactory(router);
// #endregion
