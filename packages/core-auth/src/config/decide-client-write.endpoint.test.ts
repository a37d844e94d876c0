/** Endpoints of operators (CONFIG-3, THREAT-19, THREAT-27) and names of headers (CONFIG-4). */
import { describe, expect, it } from 'vitest';
import { canonicalHeaderName, isHeaderName } from '../evidence/caller-identity/header-forms.js';
import { isEndpoint } from './decide-client-write.js';

describe('an endpoint', () => {
  it.each([
    'https://sts.example.com',
    'https://sts.example.com/',
    'https://sts.example.com:8443/path',
    'HTTPS://STS.example.com',
    'https://192.0.2.1',
    'https://[2001:db8::1]/',
    'http://localhost:4566',
    'http://127.0.0.1:1',
    'http://127.9.8.7',
    'http://127.1',
    'http://[::1]:80',
    'http://[0:0:0:0:0:0:0:1]',
  ])('may be %s', (text) => {
    expect(isEndpoint(text)).toBe(true);
  });

  it.each([
    '',
    'e',
    'sts.example.com',
    '//sts.example.com',
    'http://sts.example.com',
    'http://10.0.0.1',
    'http://169.254.169.254/latest',
    'http://0.0.0.0',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://127.evil.example',
    'http://[::ffff:10.0.0.1]',
    'ftp://localhost',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://user@sts.example.com',
    'https://user:secret@sts.example.com',
    'https://@sts.example.com',
    'https://sts.example.com?',
    'https://sts.example.com?a=b',
    'https://sts.example.com/#',
    'https://sts.example.com\\@evil.example',
    'http://localhost\\.evil.example',
    'http:\\\\localhost',
    ' https://sts.example.com',
    'https://sts.example.com\n',
    'https://sts.exa\tmple.com',
    'https://st\u0455.example.com',
    'https://',
    'https:///',
    'https:sts.example.com',
    'https://a:99999',
    `https://${'a'.repeat(3000)}`,
  ])('may not be %j', (text) => {
    expect(isEndpoint(text)).toBe(false);
  });
});

describe('the name of a header', () => {
  it.each([
    ['x-amz-foo', 'X-Amz-Foo'],
    ['X-AMZ-FOO', 'X-Amz-Foo'],
    ['x', 'X'],
    ['x--a', 'X--A'],
    ['content-md5', 'Content-Md5'],
  ])('%s is %s', (name, canonical) => {
    expect(isHeaderName(name)).toBe(true);
    expect(canonicalHeaderName(name)).toBe(canonical);
  });

  it.each(['', 'X Bar', 'X:Bar', 'X-B\u00e4r', 'X-Bar\r\n', 'x'.repeat(257)])('is not %j', (name) => {
    expect(isHeaderName(name)).toBe(false);
  });
});
