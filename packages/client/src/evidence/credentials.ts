/**
 * Where the keys of a principal come from: a function, so that the AWS SDK's own chain plugs in. Two small ones are here, for
 * programs that do without the SDK.
 */
import { PosternClientError } from '../client-error.js';
import { conceal } from '../concealed.js';
import { type MetadataOptions, openMetadata } from './instance-metadata.js';
import { invalidMetadata } from './metadata-request.js';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Asked before every signature, so that keys which expire are fresh. `fromNodeProviderChain()` of the AWS SDK is one. */
export type CredentialProvider = () => Promise<AwsCredentials>;

/** @param environment default `process.env`. The provider rejects with `credentials_missing` where there are none. */
export function environmentCredentials(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): CredentialProvider {
  return async () => {
    const accessKeyId = environment['AWS_ACCESS_KEY_ID'] ?? '';
    const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY'] ?? '';
    if (accessKeyId === '' || secretAccessKey === '')
      throw missing('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set');
    return concealed(accessKeyId, secretAccessKey, environment['AWS_SESSION_TOKEN'] || undefined);
  };
}

const ROLES = '/latest/meta-data/iam/security-credentials/';

/**
 * The keys of the role in the instance's profile, by IMDSv2. The provider rejects with the codes of `collectInstanceEvidence`, and
 * with `credentials_missing` where the instance has no profile.
 */
export function instanceRoleCredentials(options: MetadataOptions = {}): CredentialProvider {
  return async () => {
    const metadata = await openMetadata(options);
    const [role = ''] = ((await metadata.get(ROLES)) ?? '').trim().split('\n');
    if (role === '') throw missing('the instance has no instance profile');
    if (!/^[\w+=,.@-]{1,128}$/.test(role)) throw invalidMetadata('the metadata service gave no name of a role');
    const text = await metadata.get(`${ROLES}${encodeURIComponent(role)}`);
    if (text === undefined) throw missing('the instance profile has no keys yet');
    return keysIn(text);
  };
}

function keysIn(text: string): AwsCredentials {
  let keys: Record<string, unknown>;
  try {
    keys = Object(JSON.parse(text));
  } catch {
    throw invalidMetadata('the metadata service gave keys that are no JSON');
  }
  const { Code, AccessKeyId, SecretAccessKey, Token } = keys;
  if (Code !== undefined && Code !== 'Success')
    throw missing('the metadata service could not assume the role of the profile');
  if (typeof AccessKeyId !== 'string' || typeof SecretAccessKey !== 'string' || typeof Token !== 'string') {
    throw invalidMetadata('the metadata service gave incomplete keys');
  }
  return concealed(AccessKeyId, SecretAccessKey, Token);
}

function concealed(accessKeyId: string, secretAccessKey: string, sessionToken: string | undefined): AwsCredentials {
  return conceal({ accessKeyId }, { secretAccessKey, sessionToken });
}

function missing(text: string): PosternClientError {
  return new PosternClientError('evidence', 'credentials_missing', text);
}
