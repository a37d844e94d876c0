/**
 * What a principal shows of itself (STS-1): a GetCallerIdentity request that it signed and did not send. The keys stay here;
 * the server sends the request and reads who signed it.
 */

import { createHash, createHmac } from 'node:crypto';
import { PosternClientError } from '../client-error.js';
import { unprinted } from '../concealed.js';
import { CLIENT_PROFILES, type ProfileName } from '../wire-profile.js';
import type { AwsCredentials, CredentialProvider } from './credentials.js';

export interface CallerIdentityOptions {
  readonly credentials: CredentialProvider;
  /**
   * Signs for the STS host of this region. Without it for the global one, where a server sends requests unless it is configured
   * otherwise: `use_sts_region_from_client`, or `sts_endpoint` with `sts_region`.
   */
  readonly region?: string | undefined;
  /** The server's `iam_server_id_header_value`, signed, so that the request is good for no other server. */
  readonly serverId?: string | undefined;
  /** Names the header of that value. Default `neutral`. */
  readonly profile?: ProfileName;
  /** Epoch milliseconds; default the machine's clock. STS takes signatures of the last 15 minutes. */
  readonly now?: () => number;
}

/** The login fields that prove the principal. Made to be sent; printing shows no values, for the signature is good for 15 minutes. */
export interface CallerIdentityFields {
  readonly iam_http_request_method: 'POST';
  /** Base64. */
  readonly iam_request_url: string;
  /** Base64. */
  readonly iam_request_body: string;
  /** Base64 of JSON. */
  readonly iam_request_headers: string;
}

const BODY = 'Action=GetCallerIdentity&Version=2011-06-15';
const TEXT = /^[!-~](?:[ -~]{0,1022}[!-~])?$/;
const KEY = /^[!-~]{1,8192}$/;

/**
 * @throws PosternClientError `credentials_missing` where the provider gave none; whatever else the provider throws
 * @throws TypeError for an invalid region or server id
 */
export async function signCallerIdentity(options: CallerIdentityOptions): Promise<CallerIdentityFields> {
  const { region = GLOBAL_STS.region, serverId, profile = 'neutral', now = Date.now } = options;
  const host = options.region === undefined ? GLOBAL_STS.host : stsHostOf(region);
  if (serverId !== undefined && !TEXT.test(serverId)) throw new TypeError('serverId: must be a valid header value');
  const credentials = checkedKeys(await options.credentials());
  // At the first signature: most programs that import this package log in by instance.
  const { SignatureV4 } = await import('@smithy/signature-v4');
  const signer = new SignatureV4({ credentials, region, service: 'sts', sha256: Sha256, applyChecksum: false });
  const { headers } = await signer.sign(
    {
      method: 'POST',
      protocol: 'https:',
      hostname: host,
      path: '/',
      query: {},
      headers: {
        Host: host,
        'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8',
        ...(serverId === undefined ? {} : { [CLIENT_PROFILES[profile].serverIdHeader]: serverId }),
      },
      body: BODY,
    },
    { signingDate: new Date(now()) },
  );
  return unprinted({
    iam_http_request_method: 'POST' as const,
    iam_request_url: base64(`https://${host}/`),
    iam_request_body: base64(BODY),
    iam_request_headers: base64(JSON.stringify(headers)),
  });
}

/** A copy of the three that are used: a provider of the SDK gives more. */
function checkedKeys({ accessKeyId, secretAccessKey, sessionToken }: AwsCredentials) {
  const all = [accessKeyId, secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])];
  if (!all.every((each) => typeof each === 'string' && KEY.test(each))) {
    throw new PosternClientError('evidence', 'credentials_missing', 'the credential provider returned no usable keys');
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

type Data = string | ArrayBuffer | ArrayBufferView;

/** SHA-256, plain or keyed, in the shape that the signer of the AWS SDK asks for. */
class Sha256 {
  readonly #hash;

  constructor(secret?: Data) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }

  update(data: Data): void {
    this.#hash.update(bytesOf(data));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.#hash.digest()));
  }

  /** Asked for by the shape alone: the signer takes a new one each time. */
  reset(): void {
    throw new TypeError('a digest is used once');
  }
}

function bytesOf(data: Data): Uint8Array {
  if (typeof data === 'string') return new TextEncoder().encode(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

/** The global host, which takes signatures of this region only. */
const GLOBAL_STS = { host: 'sts.amazonaws.com', region: 'us-east-1' } as const;

const SUFFIX_OF_PREFIX: readonly (readonly [prefix: string, suffix: string])[] = [
  ['cn-', 'amazonaws.com.cn'],
  ['us-iso-', 'c2s.ic.gov'],
  ['us-isob-', 'sc2s.sgov.gov'],
  ['eu-isoe-', 'cloud.adc-e.uk'],
  ['us-isof-', 'csp.hci.ic.gov'],
  ['eusc-', 'amazonaws.eu'],
];

const REGION = /^[a-z]{2,8}(?:-[a-z]{1,16}){1,3}-\d{1,2}$/;

/**
 * The regional STS host of every partition (STS-10), by the prefix of the region's name: a region that opens tomorrow needs no new
 * version. The server rejects a region that it does not know.
 *
 * @throws TypeError for text that is not a region: it would become part of a host name.
 */
export function stsHostOf(region: string): string {
  if (!REGION.test(region)) throw new TypeError('region: not the name of a region');
  const suffix = SUFFIX_OF_PREFIX.find(([prefix]) => region.startsWith(prefix))?.[1] ?? 'amazonaws.com';
  return `sts.${region}.${suffix}`;
}
