/**
 * The set of requests that may reach STS (STS-8), written down a second time: from the specification, not the code.
 */
import type { CallerIdentityRequest } from '@postern/ports';
import { expect } from 'vitest';
import { stsRegions } from '../src/evidence/caller-identity/sts-target.js';
import { POST_BODY } from './caller-identity.js';

const text = '[!-~]([ -~]*[!-~])?';
const hex = '[0-9a-f]{64}';
const credential = '\\w+/\\d{8}/[a-z0-9-]+/sts/aws4_request';
const names = "[!#$%&'*+.^_`|~0-9a-z-]+(;[!#$%&'*+.^_`|~0-9a-z-]+)*";
const escaped = '([A-Za-z0-9._~-]|%[0-9A-F]{2})';

export const LEGAL_HEADERS: Readonly<Record<string, string>> = {
  'accept-encoding': 'identity',
  'amz-sdk-invocation-id': '[\\w-]+',
  'amz-sdk-request': text,
  'amz-sdk-retry': text,
  authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${hex}`,
  'content-length': '43',
  'content-type': 'application/x-www-form-urlencoded(; ?charset=(utf-8|UTF-8))?',
  host: 'sts(-fips)?\\.([a-z0-9-]+\\.)?[a-z0-9.-]+',
  'user-agent': text,
  'x-amz-algorithm': 'AWS4-HMAC-SHA256',
  'x-amz-content-sha256': hex,
  'x-amz-credential': '[\\w/-]+',
  'x-amz-date': '\\d{8}T\\d{6}Z',
  'x-amz-security-token': '[!-~]+',
  'x-amz-signature': hex,
  'x-amz-signedheaders': '[!-~]+',
  'x-amz-user-agent': text,
  'x-service-cloud-iam-server-id': text,
};
const QUERY = [
  'Action=GetCallerIdentity',
  '&Version=2011-06-15',
  '&X-Amz-Algorithm=AWS4-HMAC-SHA256',
  `&X-Amz-Credential=${credential.replaceAll('/', '%2F')}`,
  '&X-Amz-Date=\\d{8}T\\d{6}Z',
  '(&X-Amz-Expires=\\d{1,6})?',
  `(&X-Amz-Security-Token=${escaped}+)?`,
  `&X-Amz-Signature=${hex}`,
  `&X-Amz-SignedHeaders=${escaped}+`,
  `(&X-Amz-User-Agent=${escaped}+)?`,
];
const TARGET = new RegExp(`^/\\?${QUERY.join('')}$`);
const HOSTS = new Set(['sts.amazonaws.com', ...stsRegions().map(({ host }) => host)]);

/** With the default endpoint and nothing configured. */
export function expectLegal({ method, endpoint, target, headers, body }: CallerIdentityRequest): void {
  expect(endpoint).toBe('https://sts.amazonaws.com');
  const keys = headers.map(([name]) => name);
  expect(keys).toEqual(['host', ...[...new Set(keys)].filter((name) => name !== 'host').sort()]);
  for (const [name, value] of headers) expect(value).toMatch(new RegExp(`^${LEGAL_HEADERS[name] ?? '$.'}$`));
  const host = headers[0]?.[1] ?? '';
  expect(HOSTS.has(host) || host.startsWith('sts-fips.')).toBe(true);
  if (method === 'POST') {
    expect(target).toBe('/');
    expect([POST_BODY, 'Version=2011-06-15&Action=GetCallerIdentity']).toContain(Buffer.from(body ?? []).toString());
    expect(keys).toEqual(expect.arrayContaining(['authorization', 'content-length', 'content-type', 'x-amz-date']));
  } else {
    expect(method).toBe('GET');
    expect(target).toMatch(TARGET);
    expect(body).toBeUndefined();
    expect(keys).not.toContain('authorization');
    expect(keys).not.toContain('content-length');
  }
}
