/** Single versions: details, status, history, archive (MODULE-3). */
import { describe, expect, it } from 'vitest';
import { createTestRegistry, errorOf, MODULE, START, V1 } from '../../test/create-test-registry.js';
import type { HistoryQuery } from '../results.js';
import { MAX_STATUSES } from '../version-status.js';

describe('one version', () => {
  it('is read with what it declares and how it stands', async () => {
    const { registry, manager, reader } = createTestRegistry();
    const sunset = '2027-01-31';
    const replacement = { module: 'acme/vpc/aws', version: '~> 2.0' };
    await registry.open(manager()).deprecate(V1, {
      reason: 'r',
      link: 'https://x.example/',
      reasonClass: 'security',
      sunset,
      replacement,
    });
    const { status, details } = await registry.open(reader()).readVersion(V1);
    expect(details.address).toEqual(V1);
    expect(status).toEqual({
      id: 'acme/network/aws/1.0.0',
      address: V1,
      state: 'deprecated',
      deprecation: {
        id: 'acme/network/aws/1.0.0/deprecations/1',
        reason: 'r',
        link: 'https://x.example/',
        reasonClass: 'security',
        replacement,
        sunsetAt: Date.UTC(2027, 0, 31),
        at: START,
        by: 'release-bot',
        revisedAt: null,
        revisedBy: null,
      },
      revocation: null,
    });
    expect(await registry.open(reader()).status(V1)).toEqual(status);
  });

  it('that leaves a catalogue behind the registry and comes back is still revoked', async () => {
    const { registry, manager, reader, catalogue } = createTestRegistry();
    await registry.open(manager()).deprecate(V1, {});
    await registry.open(manager()).revoke(V1, {});
    catalogue.remove(V1);
    expect((await errorOf(registry.open(reader()).status(V1))).code).toBe('not_found');
    catalogue.add({ address: V1 });
    expect((await registry.open(reader()).status(V1)).state).toBe('revoked');
  });

  it('whose record is broken is a defect, never half-read', async () => {
    const { registry, manager, reader, memory } = createTestRegistry();
    await registry.open(manager()).deprecate(V1, {});
    const key = 'postern/registry/acme/status/network/aws/1.0.0';
    for (const value of ['{', '{"seq":1}', '[]', 'null']) {
      await memory.commit([{ type: 'put', key, value, if: 'present' }]);
      expect((await errorOf(registry.open(reader()).status(V1))).code).toBe('internal');
      expect((await errorOf(registry.open(manager()).reinstate(V1))).code).toBe('internal');
    }
  });
});

describe('the states of many versions', () => {
  it('are answered in order, and nothing is said of what is missing or not theirs', async () => {
    const { registry, manager, reader, catalogue } = createTestRegistry();
    catalogue.add({ address: { ...V1, namespace: 'other' } });
    await registry.open(manager()).deprecate(V1, { reason: 'r' });
    const asked = ['1.1.0', '9.9.9', '1.0.0', 'x', '1.0.0'].map((version) => ({ ...MODULE, version }));
    const statuses = await registry.open(reader()).statuses([...asked, { ...V1, namespace: 'other' }]);
    expect(statuses.map((status) => status?.state)).toEqual([
      'active',
      undefined,
      'deprecated',
      undefined,
      'deprecated',
      undefined,
    ]);
    expect(await registry.open(reader()).statuses([])).toEqual([]);
  });

  it('have a bound', async () => {
    const { registry, reader } = createTestRegistry();
    const many = Array.from({ length: MAX_STATUSES }, (_, n) => ({ ...MODULE, version: `1.0.${n}` }));
    expect(await registry.open(reader()).statuses(many)).toHaveLength(MAX_STATUSES);
    expect((await errorOf(registry.open(reader()).statuses([...many, V1]))).code).toBe('input_invalid');
    expect((await errorOf(registry.open(reader()).statuses('all' as never))).code).toBe('input_invalid');
  });
});

describe('the history', () => {
  async function withHistory(length: number) {
    const test = createTestRegistry();
    for (let n = 1; n <= length; n += 1) await test.registry.open(test.manager()).deprecate(V1, { reason: `${n}` });
    return test;
  }

  it.each<[number, HistoryQuery, number[], number | undefined]>([
    [0, {}, [], undefined],
    [3, {}, [3, 2, 1], undefined],
    [25, {}, Array.from({ length: 20 }, (_, n) => 25 - n), 6],
    [5, { limit: 2 }, [5, 4], 4],
    [5, { limit: 2, before: 4 }, [3, 2], 2],
    [5, { limit: 2, before: 2 }, [1], undefined],
    [5, { limit: 5 }, [5, 4, 3, 2, 1], undefined],
    [5, { before: 1 }, [], undefined],
    [5, { before: 1000, limit: 1 }, [5], 5],
  ])('of %i entries, %j: %j', async (length, query, seqs, next) => {
    const { registry, reader } = await withHistory(length);
    const page = await registry.open(reader()).history(V1, query);
    expect(page.entries.map(({ seq }) => seq)).toEqual(seqs);
    expect(page.entries.map(({ reason }) => reason)).toEqual(seqs.map(String));
    expect([page.total, page.next]).toEqual([length, next]);
  });

  it.each([{ limit: 0 }, { limit: 101 }, { before: 0 }, { before: 1.5 }])('refuses %j', async (query) => {
    const { registry, reader } = await withHistory(1);
    expect((await errorOf(registry.open(reader()).history(V1, query))).code).toBe('input_invalid');
  });

  it('that lacks an entry is said to be damaged', async () => {
    const { registry, reader, memory } = await withHistory(2);
    const [key] = (await memory.list('postern/registry/acme/history/', { limit: 1 })).items;
    await memory.commit([{ type: 'delete', key: key!.key, if: 'present' }]);
    expect((await errorOf(registry.open(reader()).history(V1))).code).toBe('internal');
  });

  it('cuts names and ids that are too long to keep', async () => {
    const { registry, manager, reader } = createTestRegistry();
    await registry.open(manager({ requestId: 'x'.repeat(5000) })).deprecate(V1, {});
    expect((await registry.open(reader()).history(V1)).entries[0]?.requestId).toHaveLength(256);
  });
});

describe('a download', () => {
  it('is granted of an active and of a deprecated version', async () => {
    const { registry, manager, reader, catalogue } = createTestRegistry();
    catalogue.add({ address: V1, format: 'zip', content: new TextEncoder().encode('PK') });
    expect(await registry.open(reader()).authorizeDownload(V1)).toMatchObject({
      archive: { format: 'zip', sizeBytes: 2 },
    });
    await registry.open(manager()).deprecate(V1, {});
    expect((await registry.open(reader()).authorizeDownload(V1)).status.state).toBe('deprecated');
    const { archive, status } = await registry.openArchive({ requestId: 'r' }, V1);
    const chunks: Uint8Array[] = [];
    for await (const chunk of archive.content) chunks.push(chunk);
    expect(new TextDecoder().decode(chunks[0])).toBe('PK');
    expect(status.state).toBe('deprecated');
  });

  it.each([
    [{ reason: 'CVE-1', link: 'https://x.example/' }, /CVE-1 More information: https:\/\/x.example\/$/],
    [{}, /^Module version 1.0.0 of acme\/network\/aws is revoked.$/],
  ])('of a revoked version is refused with %j, by a signed address too', async (notice, text) => {
    const { registry, manager, reader, catalogue } = createTestRegistry();
    await registry.open(manager()).deprecate(V1, {});
    await registry.open(manager()).revoke(V1, notice);
    for (const call of [registry.open(reader()).authorizeDownload(V1), registry.openArchive({ requestId: 'r' }, V1)]) {
      const error = await errorOf(call);
      expect(error).toMatchObject({ code: 'download_revoked', kind: 'forbidden', details: notice });
      // Stock clients show this to the user: here the text is the contract.
      expect(error.message).toMatch(text);
    }
    expect(catalogue.calls()).not.toContain('archive');
    await registry.open(manager()).unrevoke(V1);
    await registry.open(reader()).authorizeDownload(V1);
  });

  it('of what is not there is not found', async () => {
    const { registry, events } = createTestRegistry();
    for (const version of ['9.9.9', 'x']) {
      const error = await errorOf(registry.openArchive({ requestId: 'r' }, { ...V1, version }));
      expect(error.code).toBe('not_found');
    }
    expect(events.map(({ reason }) => reason)).toEqual(['missing', 'address_malformed']);
  });
});
