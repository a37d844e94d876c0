/**
 * What a server calls things on the wire (WIRE-2): the few names that a login needs. A table of the client's own, for the
 * server's loads routes and schemas; wire-profile.test.ts holds the two together.
 */

export type ProfileName = 'neutral' | 'vault';

export interface ClientProfile {
  /** Carries the token. */
  readonly tokenHeader: string;
  /** Names the server that a signed request is for. */
  readonly serverIdHeader: string;
  /** Where the auth method hangs below `/v1/`. */
  readonly defaultMountPath: string;
  /** Sent with every request: Vault's own proxies may ask for the first. */
  readonly headers: Readonly<Record<string, string>>;
}

export const CLIENT_PROFILES: Readonly<Record<ProfileName, ClientProfile>> = {
  neutral: {
    tokenHeader: 'x-service-token',
    serverIdHeader: 'X-Service-Cloud-IAM-Server-ID',
    defaultMountPath: 'auth/cloud',
    headers: {},
  },
  vault: {
    tokenHeader: 'x-vault-token',
    serverIdHeader: 'X-Vault-AWS-IAM-Server-ID',
    defaultMountPath: 'auth/aws',
    headers: { 'x-vault-request': 'true' },
  },
};
