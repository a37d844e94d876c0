/**
 * Which STS endpoint verifies a request (STS-9, STS-8, THREAT-23).
 * The client's word counts only where the operator wants it, and then only for a known region of
 * the partition that the operator is in.
 */

import { lowerAscii } from '@postern/kernel';
import type { ClientConfig } from '../../config/client-config.js';
import { AuthError, unverified } from '../../errors.js';
import { DEFAULT_PARTITION, DEFAULT_STS_HOST, findStsHost, findStsRegion } from './sts-endpoints.js';

export type StsTargetConfig = Pick<ClientConfig, 'stsEndpoint' | 'stsRegion' | 'useStsRegionFromClient'>;

export interface StsTarget {
  /** Scheme and authority, lower case, without a path: the path of the request is always `/`. */
  readonly endpoint: string;
  /** Of an endpoint that is none of AWS's and has no region: undefined. */
  readonly partition: string | undefined;
}

/**
 * The operator's own endpoint as clients name it in `Host`: legal beside the known hosts. Undefined where none is
 * configured or the client's region decides.
 */
export function ownHostOf(config: StsTargetConfig): string | undefined {
  if (config.stsEndpoint === '' || config.useStsRegionFromClient) return undefined;
  const { scheme, authority } = splitEndpoint(config.stsEndpoint);
  const defaultPort = scheme === 'https' ? ':443' : ':80';
  return authority.endsWith(defaultPort) ? authority.slice(0, -defaultPort.length) : authority;
}

/**
 * @param scopeRegion region of the credential scope.
 * @throws AuthError `evidence_unverified`, reason `region_unknown`, `region_other_partition`; `provider_misconfigured`
 *   where the stored endpoint is no URL.
 */
export function findStsTarget(config: StsTargetConfig, scopeRegion: string): StsTarget {
  if (!config.useStsRegionFromClient) return configuredTarget(config);
  const regional = findStsRegion(scopeRegion);
  if (regional === undefined) throw unverified('region_unknown');
  const { partition = DEFAULT_PARTITION } = configuredTarget(config);
  if (regional.partition !== partition) throw unverified('region_other_partition');
  return { endpoint: `https://${regional.host}`, partition };
}

/** @throws AuthError `evidence_unverified`, reason `host_other_partition`. */
export function checkHostPartition(host: string, target: StsTarget): void {
  const partition = findStsHost(host)?.partition;
  if (partition !== undefined && target.partition !== undefined && partition !== target.partition) {
    throw unverified('host_other_partition');
  }
}

function configuredTarget({ stsEndpoint, stsRegion }: StsTargetConfig): StsTarget {
  if (stsEndpoint === '') return { endpoint: `https://${DEFAULT_STS_HOST}`, partition: DEFAULT_PARTITION };
  const { scheme, authority } = splitEndpoint(stsEndpoint);
  const partition = (findStsHost(authority) ?? findStsRegion(stsRegion))?.partition;
  return { endpoint: `${scheme}://${authority}`, partition };
}

/** Of a text that was checked when it was stored (CONFIG-3): no user info, query or fragment. */
function splitEndpoint(endpoint: string): { readonly scheme: string; readonly authority: string } {
  const [scheme = '', ...rest] = endpoint.split('://');
  const [authority = ''] = (rest[0] ?? '').split('/');
  const known = lowerAscii(scheme);
  if ((known !== 'https' && known !== 'http') || authority === '') {
    throw new AuthError('provider_misconfigured', 'sts_endpoint: not a URL');
  }
  return { scheme: known, authority: lowerAscii(authority) };
}
