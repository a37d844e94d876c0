/** Which headers leave and which are refused (STS-5 to STS-7, THREAT-15, THREAT-18, THREAT-21, THREAT-22). */
import { describe, expect, it } from 'vitest';
import {
  AMZ_DATE,
  authorization,
  headersOf,
  prepare,
  SERVER_ID,
  SERVER_ID_HEADER,
  SIGNATURE,
  unsignedGet,
  unsignedPost,
  verdict,
} from '../../../test/caller-identity.js';
import { isAuthError } from '../../errors.js';

const SIGNED = ['host', 'x-amz-date'];
const serverId = { iamServerIdHeaderValue: SERVER_ID };
/** A POST that carries these headers and signed these besides the usual ones. */
const signing = (names: readonly string[], headers: Readonly<Record<string, unknown>>) =>
  unsignedPost({ Authorization: authorization([...SIGNED, ...names]), ...headers });
const namesOf = (fields: Parameters<typeof headersOf>[0], config = {}) =>
  headersOf(fields, config).map(([name]) => name);
const ALWAYS = ['host', 'authorization', 'content-length', 'content-type', 'x-amz-date'];

describe('the server ID', () => {
  const name = SERVER_ID_HEADER;
  const key = name.toLowerCase();
  it.each([
    ['in any case of its name', signing([key], { 'x-SERVICE-cloud-iam-server-id': SERVER_ID })],
    ['in a list of one', signing([key], { [name]: [SERVER_ID] })],
    ['of a presigned GET', unsignedGet({ 'X-Amz-SignedHeaders': `host%3B${key}` }, { [name]: SERVER_ID })],
  ])('goes out %s', (_, fields) => {
    expect(headersOf(fields, serverId)).toContainEqual([key, SERVER_ID]);
  });

  it.each([
    ['missing', signing([key], {}), 'server_id_missing'],
    ['missing from a GET', unsignedGet({}, { Host: 'Foo' }), 'server_id_missing'],
    ['an empty list', signing([key], { [name]: [] }), 'server_id_missing'],
    ['another value', signing([key], { [name]: 'Invalid' }), 'server_id_mismatch'],
    ['empty', signing([key], { [name]: '' }), 'server_id_mismatch'],
    ['the value in another case', signing([key], { [name]: SERVER_ID.toUpperCase() }), 'server_id_mismatch'],
    ['the value and a space', signing([key], { [name]: `${SERVER_ID} ` }), 'server_id_mismatch'],
    ['the value and more', signing([key], { [name]: `${SERVER_ID},x` }), 'server_id_mismatch'],
    ['a list with the right one', signing([key], { [name]: [SERVER_ID, 'x'] }), 'server_id_mismatch'],
    ['a list with the right one last', signing([key], { [name]: ['x', SERVER_ID] }), 'server_id_mismatch'],
    ['the right one twice', signing([key], { [name]: [SERVER_ID, SERVER_ID] }), 'server_id_mismatch'],
    ['twice by case', signing([key], { [name]: SERVER_ID, [key]: SERVER_ID }), 'server_id_mismatch'],
    ['not signed', signing([], { [name]: SERVER_ID }), 'server_id_unsigned'],
    ['not signed in a GET', unsignedGet({}, { [name]: SERVER_ID }), 'server_id_unsigned'],
    ['signed under a longer name', signing([`${key}-foo`], { [name]: SERVER_ID }), 'server_id_unsigned'],
    ['signed under a shorter name', signing([key.slice(0, -3)], { [name]: SERVER_ID }), 'server_id_unsigned'],
    ['signed in upper case', signing([name], { [name]: SERVER_ID }), 'signature_header_list'],
  ])('is refused: %s', async (_, fields, reason) => {
    expect(await verdict(fields, serverId)).toBe(reason);
  });

  it('may have the name of another wire profile, and then not this one', async () => {
    const vault = 'X-Vault-AWS-IAM-Server-ID';
    const fields = signing([vault.toLowerCase()], { [vault]: SERVER_ID });
    expect(prepare(fields, serverId, vault).outgoing.headers).toContainEqual([vault.toLowerCase(), SERVER_ID]);
    expect(await verdict(fields, serverId)).toBe('server_id_missing');
    expect(await verdict(fields)).toBe('header_not_allowed');
  });

  it('goes out where it is signed and none is required, and stays where it is not signed', () => {
    expect(namesOf(signing([key], { [name]: 'other' }))).toContain(key);
    expect(namesOf(signing([], { [name]: 'other' }))).toEqual(ALWAYS);
  });
});

describe('the host', () => {
  it.each([
    ['a list of two', { Host: ['sts.amazonaws.com', 'evil.org'] }, 'host_mismatch'],
    ['the right one twice', { Host: ['sts.amazonaws.com', 'sts.amazonaws.com'] }, 'host_mismatch'],
    ['twice by case', { Host: 'sts.amazonaws.com', host: 'evil.org' }, 'host_mismatch'],
    ['another host', { host: 'evil.org' }, 'host_mismatch'],
    ['the host with its port', { Host: 'sts.amazonaws.com:443' }, 'host_mismatch'],
    ['another known host', { Host: 'sts.eu-west-1.amazonaws.com' }, 'host_mismatch'],
    ['a URL', { Host: 'https://sts.amazonaws.com/' }, 'host_mismatch'],
  ])('is refused: %s', async (_, headers, reason) => {
    expect(await verdict(unsignedPost(headers))).toBe(reason);
  });

  it('must be signed', async () => {
    expect(await verdict(unsignedPost({ Authorization: authorization(['x-amz-date']) }))).toBe('host_unsigned');
    expect(await verdict(unsignedPost({ Authorization: authorization(['x-host']) }))).toBe('host_unsigned');
  });

  it('is that of the URL where the client sends none', () => {
    expect(headersOf(unsignedPost())[0]).toEqual(['host', 'sts.amazonaws.com']);
  });
});

describe('an unsigned header', () => {
  it.each([
    ['Accept', 'application/json'],
    ['Accept-Encoding', 'gzip'],
    ['Content-Type', 'application/json'],
    ['Content-Length', '5'],
    ['Cookie', 'a=b'],
    ['Connection', 'x-amz-date'],
    ['Transfer-Encoding', 'chunked'],
    ['Expect', '100-continue'],
    ['X-Forwarded-Host', 'evil.org'],
    ['X-HTTP-Method-Override', 'PUT'],
    ['X-Amzn-Trace-Id', 'Root=1'],
    ['User-Agent', 'aws-cli/2'],
    ['X-Anything', 'a'],
    ['X-Amz-User-Agent', 'aws-sdk'],
    ['X-Amz-SignedHeaders', 'host'],
    ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
  ])('stays behind: %s', (name, value) => {
    const headers = headersOf(unsignedPost({ [name]: value }));
    expect(headers.map(([each]) => each)).toEqual(ALWAYS);
    expect(headers).toContainEqual(['content-type', 'application/x-www-form-urlencoded']);
    expect(headers).toContainEqual(['content-length', '43']);
  });

  it('goes out where the signature is verified with it', () => {
    const fields = unsignedPost({ 'X-Amz-Security-Token': 'a+b/=', 'X-Amz-Content-Sha256': SIGNATURE });
    expect(namesOf(fields)).toEqual([
      ...ALWAYS.slice(0, 4),
      'x-amz-content-sha256',
      'x-amz-date',
      'x-amz-security-token',
    ]);
  });
});

describe('a header that is signed', () => {
  it.each([
    ['Content-Type', 'application/x-www-form-urlencoded; charset=utf-8'],
    ['User-Agent', 'aws-sdk-java/1.12 Linux/6 (x; y)'],
    ['amz-sdk-invocation-id', '7b0b1b1e-0000-4000-8000-000000000000'],
    ['amz-sdk-request', 'attempt=1; max=3'],
    ['amz-sdk-retry', '0/0/500'],
    ['Accept-Encoding', 'identity'],
    ['X-Amz-Content-Sha256', SIGNATURE],
    ['X-Amz-Security-Token', 'a+b/='],
    ['X-Amz-User-Agent', 'aws-sdk-js/3'],
  ])('goes out as it is: %s', (name, value) => {
    expect(headersOf(signing([name.toLowerCase()], { [name]: value }))).toContainEqual([name.toLowerCase(), value]);
  });

  it('may be the length, which is counted all the same', () => {
    expect(headersOf(signing(['content-length'], {}))).toContainEqual(['content-length', '43']);
    expect(headersOf(signing(['content-length'], { 'Content-Length': 7 }))).toContainEqual(['content-length', '43']);
  });

  it.each([
    ['Accept', 'application/json', 'header_not_allowed'],
    ['Accept-Encoding', 'gzip', 'header_value_invalid'],
    ['Authorization-Extra', 'x', 'header_not_allowed'],
    ['Content-Type', 'application/json', 'header_value_invalid'],
    ['Content-Type', 'application/x-amz-json-1.1', 'header_value_invalid'],
    ['Content-Type', ['application/x-www-form-urlencoded', 'application/json'], 'header_repeated'],
    ['Content-Encoding', 'gzip', 'header_not_allowed'],
    ['Cookie', 'a=b', 'header_not_allowed'],
    ['Connection', 'close', 'header_not_allowed'],
    ['Transfer-Encoding', 'chunked', 'header_not_allowed'],
    ['TE', 'trailers', 'header_not_allowed'],
    ['Trailer', 'x', 'header_not_allowed'],
    ['Upgrade', 'h2c', 'header_not_allowed'],
    ['Expect', '100-continue', 'header_not_allowed'],
    ['Proxy-Authorization', 'x', 'header_not_allowed'],
    ['X-Forwarded-Host', 'evil.org', 'header_not_allowed'],
    ['If-None-Match', 'x', 'header_not_allowed'],
    ['X-Anything', 'a', 'header_not_allowed'],
    ['X-Amz-Content-Sha256', 'UNSIGNED-PAYLOAD', 'header_value_invalid'],
    ['X-Amz-Security-Token', ['a', 'b'], 'header_repeated'],
    ['X-Amz-Security-Token', '', 'header_value_invalid'],
    ['User-Agent', ' a', 'header_value_invalid'],
    ['User-Agent', [], 'header_signed_but_missing'],
  ])('is refused: %s: %s', async (name, value, reason) => {
    expect(await verdict(signing([name.toLowerCase()], { [name]: value }))).toBe(reason);
  });

  it('must not be the Authorization header itself, nor the length of a GET', async () => {
    expect(await verdict(signing(['authorization'], {}))).toBe('header_not_allowed');
    expect(await verdict(unsignedGet({ 'X-Amz-SignedHeaders': 'content-length%3Bhost' }))).toBe('header_not_allowed');
  });
});

describe('the list of X-Amz- headers', () => {
  const foo = { 'X-Amz-Foo': 'bar' };
  it.each([
    ['X-Amz-Mallory-Header', '<?xml><x/>'],
    ['x-amz-mallory-header', 'a'],
    ['X-AMZ-Expires', '900'],
    ['X-Amz-Target', 'AWSSecurityTokenServiceV20110615.AssumeRole'],
    ['X-Amz-', 'a'],
  ])('refuses %s, signed or not', async (name, value) => {
    expect(await verdict(unsignedPost({ [name]: value }))).toBe('header_not_allowed');
    expect(await verdict(signing([name.toLowerCase()], { [name]: value }))).toBe('header_not_allowed');
  });

  it('grows by what is configured, whatever the case of either', async () => {
    const config = { allowedStsHeaders: ['X-Amz-Foo', 'X-Team'] };
    expect(await verdict(signing(['x-amz-foo'], foo))).toBe('header_not_allowed');
    expect(headersOf(signing(['x-amz-foo'], { 'x-aMz-foo': 'bar' }), config)).toContainEqual(['x-amz-foo', 'bar']);
    expect(headersOf(signing(['x-team'], { 'X-TEAM': 'a' }), config)).toContainEqual(['x-team', 'a']);
    expect(namesOf(unsignedPost(foo), config)).toEqual(ALWAYS);
  });

  it('grows by no header that chooses format, action or route', async () => {
    const names = ['Accept', 'X-Amz-Target', 'Content-Encoding', 'X-Forwarded-Host', 'Proxy-Connection', 'Cookie'];
    for (const name of names) {
      const fields = signing([name.toLowerCase()], { [name]: 'a' });
      expect(await verdict(fields, { allowedStsHeaders: names })).toBe('header_not_allowed');
    }
  });

  it('takes no header that is in the query too', async () => {
    expect(await verdict(unsignedGet({}, { 'X-Amz-Date': AMZ_DATE }))).toBe('header_beside_query');
    expect(await verdict(unsignedGet({}, { 'x-amz-signature': SIGNATURE }))).toBe('header_beside_query');
    expect(await verdict(unsignedGet({}, { 'X-Amz-Security-Token': 'a' }))).toBe('accepted');
  });
});

it('tells a caller the name of a header that is at fault, and never a value', () => {
  const publicOf = (act: () => unknown) => {
    try {
      act();
    } catch (error) {
      if (isAuthError(error)) return { details: error.details, says: error.message };
    }
    return undefined;
  };
  const refused = publicOf(() => prepare(unsignedPost({ 'x-amz-mallory-header': 'canary' })));
  expect(refused?.details).toEqual({ header: 'X-Amz-Mallory-Header', problem: 'not allowed' });
  expect(refused?.says).toContain('X-Amz-Mallory-Header');
  expect(refused?.says).not.toContain('canary');
  expect(publicOf(() => prepare(unsignedPost(), serverId))?.details).toEqual({
    header: 'X-Service-Cloud-Iam-Server-Id',
    problem: 'missing',
  });
  const mismatch = publicOf(() => prepare(signing([], { [SERVER_ID_HEADER]: 'canary' }), serverId));
  expect(mismatch?.details).toEqual({});
  expect(mismatch?.says).not.toContain(SERVER_ID);
});
