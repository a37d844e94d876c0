/**
 * The SDK's clients, loaded at first use: client-ec2 alone takes half a second of CPU to import. A call loads what it
 * needs before its deadline begins to run: the provider is not slow because we are.
 */

export const loadEc2 = (): Promise<typeof import('@aws-sdk/client-ec2')> => import('@aws-sdk/client-ec2');
export const loadIam = (): Promise<typeof import('@aws-sdk/client-iam')> => import('@aws-sdk/client-iam');
export const loadKms = (): Promise<typeof import('@aws-sdk/client-kms')> => import('@aws-sdk/client-kms');
export const loadSts = (): Promise<typeof import('@aws-sdk/client-sts')> => import('@aws-sdk/client-sts');
export const loadCredentialChain = (): Promise<typeof import('@aws-sdk/credential-provider-node')> =>
  import('@aws-sdk/credential-provider-node');
