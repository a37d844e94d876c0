/** Loading the operator's module, and what is said when it cannot be used. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProviderConfiguration } from '@postern/core-auth';
import { createMemoryStorage } from '@postern/storage-memory';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError } from './config/config-error.js';
import { loadProvider } from './provider.js';

const folder = mkdtempSync(join(tmpdir(), 'postern-provider-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, source: string) {
  writeFileSync(join(folder, name), source);
  return { module: `./${name}`, options: { answer: 42 } };
}

const context = { directory: folder, configuration: createProviderConfiguration(createMemoryStorage()) };

const WHOLE = `export async function createProvider({ options, directory, configuration }) {
  return {
    describeInstance: async () => ({ options, directory, client: await configuration.clientConfig() }),
    rolesOfProfile: async () => [],
    describePrincipal: async () => undefined,
  };
}`;

describe('a provider module', () => {
  it('is given its options, the folder of the configuration and what is stored for it', async () => {
    const provider = await loadProvider(write('whole.mjs', WHOLE), context);
    const facts = await provider.describeInstance({ accountId: '1', region: 'r', instanceId: 'i' });
    expect(facts).toMatchObject({ options: { answer: 42 }, directory: folder, client: { maxRetries: -1 } });
  });

  it.each([
    ['is not there', { module: './nowhere.mjs' }],
    ['does not parse', write('broken.mjs', 'export const = 1;')],
    ['exports nothing of that name', write('empty.mjs', 'export const x = 1;')],
    ['exports no function', write('value.mjs', 'export const createProvider = {};')],
    ['returns nothing', write('nothing.mjs', 'export const createProvider = () => undefined;')],
    ['lacks a port', write('part.mjs', WHOLE.replace('rolesOfProfile', 'roles'))],
    ['throws', write('throws.mjs', `export const createProvider = () => { throw new TypeError('no inventory'); };`)],
  ])('that %s is explained', async (_name, named) => {
    await expect(loadProvider(named, context)).rejects.toThrow(ConfigError);
  });

  it('that says itself what is wrong is passed on', async () => {
    const named = write('says.mjs', `export const createProvider = async () => { throw new Error('no inventory'); };`);
    await expect(loadProvider(named, context)).rejects.toMatchObject({
      problems: [expect.stringContaining('no inventory')],
    });
  });
});
