/** What things are called on the wire (WIRE-2). A profile is a table of names; the domain knows one set of names. */

import type { Operation, Scope } from '@postern/core-auth';

export type ProfileName = 'neutral' | 'vault';

export interface WireProfile {
  readonly name: ProfileName;
  /** Header that carries the caller's token, lower case. `Authorization: Bearer` works in every profile. */
  readonly tokenHeader: string;
  /** Header of a signed request that names the server it was signed for. */
  readonly serverIdHeader: string;
  /** Where the method hangs below `/v1/` unless the operator says otherwise. */
  readonly defaultMountPath: string;
  /** Members whose wire name differs: wire name to the specification's. Applies to requests, `data` and texts. */
  readonly members: ReadonlyMap<string, string>;
  /** Where policies are, below `/v1/`; further paths are deprecated. */
  readonly policiesPaths: readonly [string, ...string[]];
  /** What becomes of members of a body that an operation does not know (WIRE-19, WIRE-21). */
  readonly unknownFields: 'reject' | 'ignore';
}

/**
 * The profiles by name (WIRE-3, WIRE-4). `neutral` speaks the specification's names. `vault` speaks those of Vault, so that its unmodified
 * clients log in and administer; their `X-Vault-Request` header is accepted and means nothing.
 */
export const WIRE_PROFILES: Readonly<Record<ProfileName, WireProfile>> = {
  neutral: {
    name: 'neutral',
    tokenHeader: 'x-service-token',
    serverIdHeader: 'X-Service-Cloud-IAM-Server-ID',
    defaultMountPath: 'auth/cloud',
    members: new Map(),
    policiesPaths: ['policies'],
    unknownFields: 'reject',
  },
  vault: {
    name: 'vault',
    tokenHeader: 'x-vault-token',
    serverIdHeader: 'X-Vault-AWS-IAM-Server-ID',
    defaultMountPath: 'auth/aws',
    members: new Map([
      ['aws_public_cert', 'cloud_public_cert'],
      ['resolve_aws_unique_ids', 'resolve_cloud_unique_ids'],
    ]),
    policiesPaths: ['sys/policies/acl', 'sys/policy'],
    unknownFields: 'ignore',
  },
};

/** Members of a request by the specification's names. Where both names are sent the profile's own wins. */
export function membersToDomain(
  profile: WireProfile,
  sent: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const renamed: Record<string, unknown> = { ...sent };
  for (const [wire, domain] of profile.members) {
    if (!Object.hasOwn(sent, wire)) continue;
    delete renamed[wire];
    renamed[domain] = sent[wire];
  }
  return renamed;
}

/** Members of an answer's `data` by the profile's names, in their order. */
export function membersToWire(profile: WireProfile, data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const wireNames = new Map([...profile.members].map(([wire, domain]) => [domain, wire]));
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [wireNames.get(name) ?? name, value]));
}

/** A text for people with the member names that its reader sent. */
export function textToWire(profile: WireProfile, text: string): string {
  let renamed = text;
  for (const [wire, domain] of profile.members) renamed = renamed.replaceAll(domain, wire);
  return renamed;
}

/** Every path of an operation, its aliases after its own: `/v1/auth/cloud/role/:role`. */
export function wirePathsOf(
  { scope, path, aliases = [] }: Operation,
  profile: WireProfile,
  mountPath: string,
): string[] {
  const bases: Readonly<Record<Scope, readonly string[]>> = {
    mount: [mountPath],
    token: ['auth/token'],
    sys: ['sys'],
    policies: profile.policiesPaths,
  };
  return bases[scope].flatMap((base) =>
    [path, ...aliases].map((each) => `/v1/${base}/${each.replace(/^\//, '')}`.replace(/\/$/, '')),
  );
}

/**
 * Headers of Vault's clients that ask for what this server does not do, where silence would be unsafe: a token that should have been
 * wrapped, a namespace that should have kept tenants apart (WIRE-27).
 *
 * @returns what is wrong and the remedy; undefined where nothing is.
 */
export function unsupportedHeader(profile: WireProfile, headers: Headers): string | undefined {
  if (profile.name !== 'vault') return undefined;
  if (!/^(?:0s?)?$/.test(headers.get('x-vault-wrap-ttl') ?? '')) {
    return 'X-Vault-Wrap-TTL: responses are not wrapped here; send the request without it';
  }
  if (!/^\/?(?:root\/?)?$/.test(headers.get('x-vault-namespace') ?? '')) {
    return 'X-Vault-Namespace: there is no other namespace than root; send the request without it';
  }
  return undefined;
}
