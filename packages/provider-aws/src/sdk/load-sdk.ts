/**
 * The SDK's clients, and its parts that ask EC2, loaded at first use. A call loads what it needs before its deadline begins to
 * run: the provider is not slow because we are.
 */

export const loadEc2 = once(() => import('../instances/describe-batch.js'));
export const loadIam: () => Promise<typeof import('@aws-sdk/client-iam')> = once(() => import('@aws-sdk/client-iam'));
export const loadKms: () => Promise<typeof import('@aws-sdk/client-kms')> = once(() => import('@aws-sdk/client-kms'));
export const loadSts: () => Promise<typeof import('@aws-sdk/client-sts')> = once(() => import('@aws-sdk/client-sts'));
export const loadCredentialChain: () => Promise<typeof import('@aws-sdk/credential-provider-node')> = once(
  () => import('@aws-sdk/credential-provider-node'),
);

/** To import again what is there costs as much as a tenth of a request. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}
