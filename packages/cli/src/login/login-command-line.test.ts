/** What `postern login` may be asked. */
import { describe, expect, it } from 'vitest';
import { UsageError } from '../usage-error.js';
import { LOGIN_USAGE, type LoginCommand, parseLoginCommandLine } from './login-command-line.js';

const URL = 'https://postern.test';
const plain: LoginCommand = {
  name: 'login',
  url: URL,
  by: 'instance',
  profile: 'neutral',
  mountPath: undefined,
  namespace: undefined,
  role: undefined,
  nonceFolder: undefined,
  region: undefined,
  serverId: undefined,
  tokenFile: undefined,
};

describe('postern login', () => {
  it.each<[string, Partial<LoginCommand>]>([
    ['--url https://postern.test', {}],
    ['--url=https://postern.test --ec2 --role web', { role: 'web' }],
    ['--url https://postern.test --nonce-folder n --token-file t', { nonceFolder: 'n', tokenFile: 't' }],
    ['--url https://postern.test --iam --region eu-west-1', { by: 'principal', region: 'eu-west-1' }],
    ['--iam --url https://postern.test --server-id a.b', { by: 'principal', serverId: 'a.b' }],
    ['--url https://postern.test --profile vault --mount auth/x', { profile: 'vault', mountPath: 'auth/x' }],
  ])('%s', (line, expected) => {
    expect(parseLoginCommandLine(line.split(' '), {})).toEqual({ ...plain, ...expected });
  });

  it('takes the address of the variable of its profile', () => {
    const environment = { POSTERN_ADDR: URL, VAULT_ADDR: 'https://vault.test', VAULT_NAMESPACE: 'team' };
    expect(parseLoginCommandLine([], environment)).toEqual(plain);
    expect(parseLoginCommandLine(['--url', 'https://x.test'], environment)).toEqual({
      ...plain,
      url: 'https://x.test',
    });
    const vault = { ...plain, profile: 'vault', url: 'https://vault.test', namespace: 'team' };
    expect(parseLoginCommandLine(['--profile', 'vault'], environment)).toEqual(vault);
    const bare = parseLoginCommandLine(['--profile', 'vault'], { VAULT_ADDR: URL, VAULT_NAMESPACE: '' });
    expect(bare).toEqual({ ...plain, profile: 'vault' });
  });

  it.each([
    '',
    '--url',
    '--url=',
    '--url x --role=',
    '--url x --ec2 --iam',
    '--url x --region eu-west-1',
    '--url x --ec2 --server-id a',
    '--url x --iam --nonce-folder n',
    '--url x --profile other',
    '--url x --token abc',
    '--url x web',
  ])('refuses %s', (line) => {
    const refused = () => parseLoginCommandLine(line === '' ? [] : line.split(' '), { POSTERN_ADDR: '' });
    expect(refused).toThrow(UsageError);
    expect(refused).toThrow(expect.objectContaining({ usage: LOGIN_USAGE }));
  });

  it.each(['--help', '-h', '--iam --help'])('%s is for help', (line) => {
    expect(parseLoginCommandLine(line.split(' '), {})).toBeUndefined();
  });
});
