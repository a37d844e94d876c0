/** The command line: commands and options that are valid, and those that are not. */
import { describe, expect, it } from 'vitest';
import { type Command, parseCommandLine, USAGE } from './command-line.js';
import { KEYS_USAGE } from './keys/keys-command-line.js';
import { LOGIN_USAGE } from './login/login-command-line.js';
import { UsageError } from './usage-error.js';

describe('the command line', () => {
  it.each<[string, Command]>([
    ['--help', { name: 'help', usage: USAGE }],
    ['-h', { name: 'help', usage: USAGE }],
    ['serve --help', { name: 'help', usage: USAGE }],
    ['--version', { name: 'version' }],
    ['serve --config a.json', { name: 'serve', config: 'a.json' }],
    ['serve --config=a.json', { name: 'serve', config: 'a.json' }],
    ['root-token -c a.json', { name: 'root-token', config: 'a.json', expiresInSeconds: undefined }],
    ['root-token -c a.json --expires 90m', { name: 'root-token', config: 'a.json', expiresInSeconds: 5_400 }],
    ['root-token -c a.json --expires 7d', { name: 'root-token', config: 'a.json', expiresInSeconds: 604_800 }],
    ['backup --config a.json d', { name: 'backup', config: 'a.json', to: 'd' }],
    ['restore -c a.json f --replace', { name: 'restore', config: 'a.json', from: 'f', replace: true }],
    ['restore -c a.json f', { name: 'restore', config: 'a.json', from: 'f', replace: false }],
    ['storage finalize --config a.json', { name: 'storage finalize', config: 'a.json' }],
    ['storage create-table -c a.json', { name: 'storage create-table', config: 'a.json', shards: undefined }],
    ['storage create-table -c a.json --shards 64', { name: 'storage create-table', config: 'a.json', shards: 64 }],
    ['storage copy a.json b.json', { name: 'storage copy', from: 'a.json', to: 'b.json' }],
    ['sandbox', { name: 'sandbox', once: false, data: './postern-data', port: undefined }],
    ['login --help', { name: 'help', usage: LOGIN_USAGE }],
    ['keys --help', { name: 'help', usage: KEYS_USAGE }],
    ['keys rewrap --help', { name: 'help', usage: KEYS_USAGE }],
    ['sandbox --once --data d --port 0', { name: 'sandbox', once: true, data: 'd', port: 0 }],
  ])('postern %s', async (line, command) => {
    await expect(parseCommandLine(line.split(' '))).resolves.toEqual(command);
  });

  it.each([
    '',
    'start',
    'serve',
    'serve a.json',
    'serve --config a.json b.json',
    'serve --config',
    'serve --config a.json --once',
    'root-token --config a.json --port 1',
    'root-token --config a.json --expires 8',
    'root-token --config a.json --expires 0h',
    'serve --config a.json --expires 8h',
    'storage',
    'storage finalize',
    'storage create-table',
    'storage create-table --config a.json --shards 3',
    'storage finalize --config a.json --shards 4',
    'backup --config a.json',
    'backup d',
    'restore --config a.json f g',
    'backup --config a.json d --replace',
    'storage copy a.json',
    'storage copy a.json b.json c.json',
    'storage copy a.json b.json --config c.json',
    'storage erase --config a.json',
    'finalize --config a.json',
    'sandbox --config a.json',
    'sandbox --port many',
    'sandbox --port 65536',
    'sandbox --port -1',
    'login --role',
    'keys',
    'keys erase',
    '--unknown',
  ])('refuses postern %s', async (line) => {
    await expect(parseCommandLine(line === '' ? [] : line.split(' '))).rejects.toThrow(UsageError);
  });
});
