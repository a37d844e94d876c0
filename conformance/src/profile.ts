/** Names on the wire. Cases are written in the neutral ones; the runner translates. */
import { isObject, type Json } from './json.js';

export type ProfileName = 'neutral' | 'vault';

export interface Profile {
  readonly name: ProfileName;
  readonly tokenHeader: string;
  readonly serverIdHeader: string;
  readonly mount: string;
  /** Neutral name to the profile's. */
  readonly members: Readonly<Record<string, string>>;
}

export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  neutral: {
    name: 'neutral',
    tokenHeader: 'X-Service-Token',
    serverIdHeader: 'X-Service-Cloud-IAM-Server-ID',
    mount: 'auth/cloud',
    members: {},
  },
  vault: {
    name: 'vault',
    tokenHeader: 'X-Vault-Token',
    serverIdHeader: 'X-Vault-AWS-IAM-Server-ID',
    mount: 'auth/aws',
    members: { cloud_public_cert: 'aws_public_cert', resolve_cloud_unique_ids: 'resolve_aws_unique_ids' },
  },
};

/** A name, or a path whose segments are names. */
export function wireName(profile: Profile, path: string): string {
  return path
    .split('.')
    .map((name) => profile.members[name] ?? name)
    .join('.');
}

/** The members of a body by the profile's names. */
export function wireMembers(profile: Profile, body: Json): Json {
  return isObject(body)
    ? Object.fromEntries(Object.entries(body).map(([name, value]) => [wireName(profile, name), value]))
    : body;
}
