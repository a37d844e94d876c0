/** Hostile URLs and queries of signed requests (THREAT-17, THREAT-19, THREAT-26). */
import { describe, expect, it } from 'vitest';
import {
  base64,
  POST_BODY,
  prepare,
  SIGNATURE,
  unsignedGet,
  unsignedPost,
  verdict,
} from '../../../test/caller-identity.js';

const posted = (url: string) => unsignedPost({}, { url: base64(url) });

describe('the URL of a POST', () => {
  it.each([
    'https://sts.amazonaws.com/',
    'https://sts.amazonaws.com',
    'https://sts.amazonaws.com/?',
    'https://sts.eu-west-1.amazonaws.com/',
    'https://sts-fips.us-east-2.amazonaws.com/',
  ])('may be %s', async (url) => {
    expect(await verdict(posted(url))).toBe('accepted');
  });

  it.each([
    ['https://sts.evil.com/.amazonaws.com', 'url_host_unknown'],
    ['https://sts.us-east-1.amazonaws.com.evil.org', 'url_host_unknown'],
    ['https://evil.org?us-east-1', 'url_host_unknown'],
    ['https://evil.org/?sts.amazonaws.com', 'url_host_unknown'],
    ['https://sts.x\n.amazonaws.com/', 'url_host_unknown'],
    ['https://sts.amazonaws.com\n/', 'url_host_unknown'],
    ['https://sts.amazonaws.com\0/', 'url_host_unknown'],
    ['https://sts.amazonaws.com@evil/', 'url_host_unknown'],
    ['https://evil@sts.amazonaws.com/', 'url_host_unknown'],
    ['https://user:word@sts.amazonaws.com/', 'url_host_unknown'],
    ['https://sts.amazonaws.com:443/', 'url_host_unknown'],
    ['https://sts.amazonaws.com:444/', 'url_host_unknown'],
    ['https://sts.amazonaws.com:/', 'url_host_unknown'],
    ['https://sts.amazonaws.com./', 'url_host_unknown'],
    ['https://STS.amazonaws.com/', 'url_host_unknown'],
    ['https://xn--sts-9q5b.amazonaws.com/', 'url_host_unknown'],
    ['https://st\u017f.amazonaws.com/', 'url_host_unknown'],
    ['https://[::1]/', 'url_host_unknown'],
    ['https://127.0.0.1/', 'url_host_unknown'],
    ['https://169.254.169.254/', 'url_host_unknown'],
    ['https://sts.us-east-1.amazonaws.com%2f/', 'url_host_unknown'],
    ['https://sts.amazonaws.com\\@evil.org/', 'url_host_unknown'],
    ['https:///sts.amazonaws.com/', 'url_host_unknown'],
    ['https:// sts.amazonaws.com/', 'url_host_unknown'],
    ['https://sts.amazonaws.com#@evil.org/', 'url_host_unknown'],
    ['https://', 'url_host_unknown'],
    ['http://sts.amazonaws.com/', 'url_scheme'],
    ['HTTPS://sts.amazonaws.com/', 'url_scheme'],
    [' https://sts.amazonaws.com/', 'url_scheme'],
    ['\ufeffhttps://sts.amazonaws.com/', 'url_scheme'],
    ['//sts.amazonaws.com/', 'url_scheme'],
    ['file:///etc/passwd', 'url_scheme'],
    ['', 'url_scheme'],
    ['https://sts.amazonaws.com//', 'url_path'],
    ['https://sts.amazonaws.com/%2e%2e/', 'url_path'],
    ['https://sts.amazonaws.com/../', 'url_path'],
    ['https://sts.amazonaws.com/some/path', 'url_path'],
    ['https://sts.amazonaws.com/#frag', 'url_path'],
    ['https://sts.amazonaws.com//evil.org/', 'url_path'],
    ['https://sts.amazonaws.com/ ', 'url_path'],
    ['https://sts.amazonaws.com/?a=b', 'url_query'],
    ['https://sts.amazonaws.com/?#', 'url_query'],
    ['https://sts.amazonaws.com/??', 'url_query'],
  ])('is refused: %j', async (url, reason) => {
    expect(await verdict(posted(url))).toBe(reason);
  });

  it.each([
    ['%%%', 'url_not_base64'],
    ['aHR0cHM6Ly9zdHMuYW1hem9uYXdzLmNvbS8\n', 'url_not_base64'],
    [base64(Uint8Array.of(0x68, 0xff)), 'url_not_base64'],
    [base64(`https://sts.amazonaws.com/${'a'.repeat(20_000)}`), 'url_too_long'],
  ])('must be base64 of a text: %#', async (url, reason) => {
    expect(await verdict(unsignedPost({}, { url }))).toBe(reason);
  });

  it("may be the operator's own endpoint with its port, and no other port of it", async () => {
    const config = { stsEndpoint: 'https://Sts.Corp.example:8443/' };
    expect(await verdict(posted('https://sts.corp.example:8443/'), config)).toBe('accepted');
    expect(await verdict(posted('https://sts.corp.example/'), config)).toBe('url_host_unknown');
    expect(await verdict(posted('https://sts.corp.example:8444/'), config)).toBe('url_host_unknown');
    expect(await verdict(posted('https://sts.corp.example:8443/'))).toBe('url_host_unknown');
  });
});

describe('the query of a GET', () => {
  it('is rebuilt in one spelling and order, whatever its own', () => {
    const url = `https://sts.amazonaws.com?X-Amz-Signature=${SIGNATURE}&X-Amz-SignedHeaders=%68ost&Version=2011%2d06%2D15&Action=Get%43allerIdentity&X-Amz-Date=20261121T093000Z&X-Amz-Credential=AKIDEXAMPLE%2f20261121%2Fus-east-1%2fsts%2faws4_request&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Security-Token=a%2bb%2F%3d&X-Amz-User-Agent=aws%20sdk`;
    expect(prepare({ ...unsignedGet(), url: base64(url) }).outgoing).toMatchObject({
      target: `/?Action=GetCallerIdentity&Version=2011-06-15&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIDEXAMPLE%2F20261121%2Fus-east-1%2Fsts%2Faws4_request&X-Amz-Date=20261121T093000Z&X-Amz-Security-Token=a%2Bb%2F%3D&X-Amz-Signature=${SIGNATURE}&X-Amz-SignedHeaders=host&X-Amz-User-Agent=aws%20sdk`,
      headers: [['host', 'sts.amazonaws.com']],
      body: undefined,
    });
  });

  it.each([
    ['Action', undefined, 'query_action'],
    ['Action', 'AssumeRole', 'query_action'],
    ['Action', 'GetCallerIdentity%00', 'query_value_invalid'],
    ['Action', 'GetCallerIdentity&Action=GetCallerIdentity', 'query_parameter_repeated'],
    ['Action', 'GetCallerIdentity;Action=AssumeRole', 'query_value_invalid'],
    ['Version', undefined, 'query_version'],
    ['Version', '2011-06-16', 'query_version'],
    ['action', 'GetCallerIdentity', 'query_parameter_unknown'],
    ['x-amz-credential', 'x', 'query_parameter_unknown'],
    ['X-Amz-credential', 'x', 'query_parameter_unknown'],
    ['X-Amz-Target', 'x', 'query_parameter_unknown'],
    ['RoleArn', 'x', 'query_parameter_unknown'],
    ['__proto__', 'x', 'query_parameter_unknown'],
    ['Action%00', 'GetCallerIdentity', 'query_parameter_unknown'],
    ['X-Amz-Expires', '', 'query_value_invalid'],
    ['X-Amz-Expires', '9000000', 'query_expires'],
    ['X-Amz-Expires', '-1', 'query_expires'],
    ['X-Amz-Algorithm', undefined, 'query_algorithm'],
    ['X-Amz-Algorithm', 'AWS4-ECDSA-P256-SHA256', 'query_algorithm'],
    ['X-Amz-Date', undefined, 'signature_date_missing'],
    ['X-Amz-Credential', undefined, 'query_signature_incomplete'],
    ['X-Amz-Signature', undefined, 'query_signature_incomplete'],
    ['X-Amz-SignedHeaders', undefined, 'query_signature_incomplete'],
    ['X-Amz-SignedHeaders', 'x-amz-date', 'host_unsigned'],
    ['X-Amz-Security-Token', 'a+b', 'query_value_invalid'],
    ['X-Amz-Security-Token', 'a%0d%0ab', 'query_value_invalid'],
    ['X-Amz-Security-Token', 'a%', 'query_value_invalid'],
    ['X-Amz-Security-Token', 'a%zz', 'query_value_invalid'],
    ['X-Amz-Security-Token', 'a%C3%A4', 'query_value_invalid'],
    ['X-Amz-Security-Token', 'a#frag', 'query_value_invalid'],
    ['X-Amz-Security-Token', 'a b', 'query_value_invalid'],
  ])('is refused with %s=%s', async (name, value, reason) => {
    expect(await verdict(unsignedGet({ [name]: value }))).toBe(reason);
  });

  it.each([
    ['https://sts.amazonaws.com/', 'query_missing'],
    ['https://sts.amazonaws.com/?', 'query_parameter_unknown'],
    [`https://sts.amazonaws.com/?${POST_BODY}&`, 'query_parameter_unknown'],
    [`https://sts.amazonaws.com/?Action&Version=2011-06-15`, 'query_parameter_unknown'],
    [`https://sts.amazonaws.com/?=`, 'query_parameter_unknown'],
  ])('is refused: %s', async (url, reason) => {
    expect(await verdict({ ...unsignedGet(), url: base64(url) })).toBe(reason);
  });
});
