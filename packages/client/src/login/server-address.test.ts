/** Which addresses a client may be given. */
import { describe, expect, it } from 'vitest';
import { parsePath, parseServerAddress } from './server-address.js';

describe('the address', () => {
  it.each([
    ['https://postern.example.com', 'https://postern.example.com'],
    ['https://postern.example.com:8200/', 'https://postern.example.com:8200'],
    ['https://example.com/postern//', 'https://example.com/postern'],
    ['http://127.0.0.1:8200', 'http://127.0.0.1:8200'],
    ['http://127.8.9.1', 'http://127.8.9.1'],
    ['http://[::1]:8200', 'http://[::1]:8200'],
    ['http://localhost:8200', 'http://localhost:8200'],
    ['http://LOCALHOST', 'http://localhost'],
  ])('%s is %s', (url, address) => {
    expect(parseServerAddress({ url })).toBe(address);
  });

  it.each([
    'http://postern.example.com',
    'http://10.0.0.1',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://xlocalhost',
    'http://[::2]',
    'http://0.0.0.0',
    'https://user@example.com',
    'https://:password@example.com',
    'https://example.com/?a=b',
    'https://example.com/#a',
    'ftp://example.com',
    'postern.example.com',
    '',
  ])('%s is refused', (url) => {
    expect(() => parseServerAddress({ url })).toThrow(TypeError);
  });

  it('in the clear is for who says so', () => {
    expect(parseServerAddress({ url: 'http://10.0.0.1:8200', allowPlainHttp: true })).toBe('http://10.0.0.1:8200');
    expect(() => parseServerAddress({ url: 'http://u@10.0.0.1', allowPlainHttp: true })).toThrow(TypeError);
  });
});

describe('the mount path', () => {
  it.each([
    ['auth/cloud', 'auth/cloud'],
    ['/auth/team-1/aws/', 'auth/team-1/aws'],
  ])('%s is %s', (text, path) => {
    expect(parsePath(text, 'mountPath')).toBe(path);
  });

  it.each(['', '/', 'auth//cloud', 'auth/../sys', 'auth/.', 'auth/cloud?x', 'auth/a b', 'auth/%2e'])(
    '%s is refused',
    (text) => {
      expect(() => parsePath(text, 'mountPath')).toThrow(TypeError);
    },
  );
});
