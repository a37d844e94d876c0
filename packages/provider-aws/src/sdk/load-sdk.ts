/**
 * The SDK's clients, and its parts that ask EC2, loaded at first use. A call loads what it needs before its deadline begins to
 * run: the provider is not slow because we are.
 */

export const loadEc2 = once(() => import('../instances/describe-batch.js'));
export const loadIam = once(() => import('@aws-sdk/client-iam'));
export const loadKms = once(() => import('@aws-sdk/client-kms'));
export const loadSts = once(() => import('@aws-sdk/client-sts'));
export const loadCredentialChain = once(() => import('@aws-sdk/credential-provider-node'));

/** To import again what is there costs as much as a tenth of a request. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}
