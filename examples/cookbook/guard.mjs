// #region guard
/**
 * Who calls, if their token has the policy.
 *
 * @param {import('@postern/core-auth').AuthMethod} method
 * @param {Request} request
 * @param {{ policy: string, peerAddress: string | undefined }} options
 * @returns {Promise<import('@postern/core-auth').TokenHolder | Response>} the response rejects the request
 */
export async function requirePolicy(method, request, { policy, peerAddress }) {
  const token = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
  // Counts as one use of a token with token_num_uses, and checks token_bound_cidrs against the address.
  // Throws an AuthError of kind `unavailable` while the storage does not answer: answer 503.
  const holder = token && (await method.useToken(token, { requestId: crypto.randomUUID(), peerAddress }));
  if (!holder) return new Response('log in first', { status: 401 });
  const allowed = holder.policies.includes(policy) || holder.policies.includes('root');
  return allowed ? holder : new Response(`needs the policy ${policy}`, { status: 403 });
}
// #endregion
