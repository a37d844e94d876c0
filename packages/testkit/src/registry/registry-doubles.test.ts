/** The registry's ports in memory do what the ports ask. */
import { isProviderError } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { createFixedRegistryAuthorizer } from './fixed-registry-authorizer.js';
import { createMemoryCatalogue } from './memory-catalogue.js';

const module = { namespace: 'acme', name: 'network', provider: 'aws' };
const v1 = { ...module, version: '1.0.0' };

describe('the catalogue in memory', () => {
  it('has what was added until it is removed', async () => {
    const catalogue = createMemoryCatalogue([{ address: v1, content: new TextEncoder().encode('abc') }]);
    expect(await catalogue.hasVersion(v1)).toBe(true);
    expect(await catalogue.details(v1)).toMatchObject({ address: v1, archive: { format: 'tar.gz', sizeBytes: 3 } });
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await catalogue.archive(v1))?.content ?? []) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('abc');
    expect(catalogue.remove(v1)).toBe(true);
    expect(catalogue.remove(v1)).toBe(false);
    expect(await catalogue.versions(module)).toEqual([]);
    expect(await catalogue.hasVersion(v1)).toBe(false);
    expect(await catalogue.details(v1)).toBeUndefined();
    expect(await catalogue.archive(v1)).toBeUndefined();
  });

  it('answers the same array of versions until one is added', async () => {
    const catalogue = createMemoryCatalogue([{ address: v1 }]);
    const before = await catalogue.versions(module);
    expect(await catalogue.versions(module)).toBe(before);
    catalogue.add({ address: { ...v1, version: '1.1.0' } });
    expect((await catalogue.versions(module)).map(({ version }) => version)).toEqual(['1.0.0', '1.1.0']);
    expect(before).toHaveLength(1);
  });

  it('lists the modules of one namespace by name, then provider, page by page', async () => {
    const names = ['b/aws', 'a-b/aws', 'a/gcp', 'a/aws'];
    const catalogue = createMemoryCatalogue(
      [...names.map((name) => `acme/${name}`), 'acme2/a/aws'].map((key) => {
        const [namespace = '', name = '', provider = ''] = key.split('/');
        return { address: { namespace, name, provider, version: '1.0.0' } };
      }),
    );
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await catalogue.listModules({ namespace: 'acme', after, limit: 3 });
      seen.push(...page.modules.map(({ name, provider }) => `${name}/${provider}`));
      after = page.next;
    } while (after !== undefined);
    expect(seen).toEqual(['a/aws', 'a/gcp', 'a-b/aws', 'b/aws']);
  });

  it('fails when told to, and tells what it was asked', async () => {
    const catalogue = createMemoryCatalogue([{ address: v1 }]);
    catalogue.failNext();
    await expect(catalogue.hasVersion(v1)).rejects.toSatisfy(isProviderError);
    expect(await catalogue.hasVersion(v1)).toBe(true);
    await expect(catalogue.versions(module, { signal: AbortSignal.abort() })).rejects.toThrow();
    expect(catalogue.calls()).toEqual(['hasVersion', 'hasVersion', 'versions']);
  });
});

describe('the fixed authorizer', () => {
  const tokens = [
    { token: 'm', name: 'manager', manage: ['acme'], read: ['zoo'] },
    { token: 'r', name: 'manager', read: ['acme'] },
  ];

  it.each([
    ['m', 'acme', 'manage', true],
    ['m', 'acme', 'read', true],
    ['m', 'zoo', 'manage', false],
    ['m', 'zoo', 'read', true],
    ['r', 'acme', 'manage', false],
    ['r', 'acme', 'read', true],
    ['r', 'other', 'read', false],
  ] as const)('token %s in %s to %s: %s', async (token, namespace, action, allowed) => {
    const authorizer = createFixedRegistryAuthorizer(tokens);
    const caller = await authorizer.identify(token);
    expect(await authorizer.isAllowed({ caller: caller!, namespace, action })).toBe(allowed);
  });

  it('knows no other token, none that was revoked, and no caller it did not hand out', async () => {
    const authorizer = createFixedRegistryAuthorizer(tokens);
    const caller = await authorizer.identify('m');
    expect(await authorizer.readableNamespaces(caller!)).toEqual(['acme', 'zoo']);
    authorizer.revoke('m');
    expect(await authorizer.identify('m')).toBeUndefined();
    expect(await authorizer.identify('x')).toBeUndefined();
    expect(await authorizer.readableNamespaces({ name: 'manager', policies: [] })).toEqual([]);
    authorizer.failNext();
    await expect(authorizer.identify('r')).rejects.toSatisfy(isProviderError);
  });
});
