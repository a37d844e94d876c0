/** What is stored of a token, and tokens that an embedder mints (TOKEN-1). */
import { createHash } from 'node:crypto';
import type { TokenGrant } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { createTestMethod } from '../../test/create-test-method.js';
import { issueToken, type TokenDraft } from './issue-token.js';

const draft: TokenDraft = {
  policies: ['default'],
  metadata: { role: 'r' },
  displayName: 'cloud',
  aliasName: 'a',
  aliasMetadata: {},
  entityId: 'e',
  path: 'auth/cloud/login',
  issuedAt: 1000,
  expiresAt: 61_000,
  ttlSeconds: 60,
  creationTtlSeconds: 60,
  explicitMaxTtlSeconds: 0,
  periodSeconds: 0,
  numUses: 0,
  boundCidrs: [],
  renewable: true,
};

describe('an issued token', () => {
  it('is nowhere in what is written, only its digest is', async () => {
    const { inside } = createTestMethod();
    const { token, record, write } = await issueToken(inside, draft);
    expect(JSON.stringify(write)).not.toContain(token.slice(4));
    expect(record.digest).toBe(createHash('sha256').update(token).digest('base64url'));
    expect(record.accessor).toMatch(/^[0-9a-f]{40}$/);
    expect(write).toMatchObject({ key: `postern/auth/tokens/${record.accessor}`, expiresAt: 61_000, if: 'absent' });
  });

  it('has an accessor that is not the start of its digest', async () => {
    const { inside } = createTestMethod();
    const { token, record } = await issueToken(inside, draft);
    expect(createHash('sha256').update(token).digest('hex').startsWith(record.accessor)).toBe(false);
  });

  it('may be minted by the host, from the whole grant', async () => {
    const { inside } = createTestMethod();
    const grants: TokenGrant[] = [];
    const tokenIssuer = {
      mint: (grant: TokenGrant) => {
        grants.push(grant);
        return 'a session id of the host, long enough';
      },
    };
    const { token } = await issueToken({ ...inside, ports: { ...inside.ports, tokenIssuer } }, draft);
    expect(token).toBe('a session id of the host, long enough');
    expect(grants).toEqual([
      {
        policies: ['default'],
        metadata: { role: 'r' },
        displayName: 'cloud',
        alias: { name: 'a', metadata: {} },
        entityId: 'e',
        issuedAt: 1000,
        expiresAt: 61_000,
        renewable: true,
      },
    ]);
  });

  it.each([['short'], ['x'.repeat(20_000)]])('is refused from an issuer that mints %j', async (text) => {
    const { inside } = createTestMethod();
    const ports = { ...inside.ports, tokenIssuer: { mint: () => text } };
    await expect(issueToken({ ...inside, ports }, draft)).rejects.toMatchObject({ code: 'internal' });
  });

  it('without an end is never minted by the host', async () => {
    const { inside } = createTestMethod();
    const ports = { ...inside.ports, tokenIssuer: { mint: () => 'a session id of the host, long enough' } };
    const { expiresAt: _, ...root } = draft;
    expect((await issueToken({ ...inside, ports }, root)).token).toMatch(/^pst_/);
  });
});
