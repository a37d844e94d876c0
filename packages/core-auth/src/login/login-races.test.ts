/**
 * Of many concurrent first logins of an instance exactly one wins, whatever the storage does (LOGIN-8, THREAT-31):
 * through one process, through several that share a storage, and with faults.
 */
import { createFaultStorage, type FaultPlan } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, type TestMethod } from '../../test/create-test-method.js';
import type { Role } from '../roles/role.js';

const LOGINS = 200;

interface Race {
  readonly processes: number;
  readonly plan: FaultPlan;
  readonly role?: Partial<Role>;
  readonly logins?: number;
}

/** Runs `LOGINS` logins with as many nonces, spread over processes; answers codes and what is stored. */
async function race({ processes, plan, role = {}, logins = LOGINS }: Race) {
  const first = createTestMethod();
  const instance = first.cloud.launchInstance({ instanceId: 'i-1' });
  await first.putRole(role);
  const methods: TestMethod[] = Array.from({ length: processes }, (_, at) =>
    createTestMethod({
      beside: first,
      storage: (inner) => createFaultStorage(inner, { ...plan, seed: (plan.seed ?? 1) * 1000 + at }),
    }),
  );
  const codes = await Promise.all(
    Array.from({ length: logins }, (_, at) =>
      codeOf(methods[at % processes]?.login(instance, { nonce: `nonce ${at}` }) ?? Promise.reject(new TypeError())),
    ),
  );
  const winners = codes.flatMap((code, at) => (code === 'allowed' ? [`nonce ${at}`] : []));
  return { codes, winners, tokens: await first.tokens(), entry: await first.entry('i-1') };
}

describe.each([
  ['one process', { processes: 1, plan: {} }],
  ['one process and a storage that interleaves', { processes: 1, plan: { maxYields: 3 } }],
  ['five processes', { processes: 5, plan: { maxYields: 3 } }],
  ['five processes and injected conflicts', { processes: 5, plan: { maxYields: 3, commits: { conflict: 0.3 } } }],
  ['one process and injected conflicts', { processes: 1, plan: { maxYields: 2, commits: { conflict: 0.3 } } }],
] satisfies [string, Race][])('200 first logins with 200 nonces through %s', (_name, how) => {
  it('end with exactly one token and one entry', async () => {
    const { codes, winners, tokens, entry } = await race(how);
    expect(winners).toHaveLength(1);
    expect(tokens).toHaveLength(1);
    expect(entry?.clientNonce).toBe(winners[0]);
    expect(new Set(codes)).toEqual(new Set(['allowed', 'nonce_mismatch']));
  });

  it('end with exactly one token when the role disallows reauthentication', async () => {
    const { codes, winners, tokens, entry } = await race({ ...how, role: { disallowReauthentication: true } });
    expect(winners).toHaveLength(1);
    expect(tokens).toHaveLength(1);
    expect(entry).toMatchObject({ disallowReauthentication: true, clientNonce: '' });
    expect(new Set(codes)).toEqual(new Set(['allowed', 'reauthentication_disabled']));
  });
});

const FAULTS: FaultPlan = {
  maxYields: 3,
  commits: { conflict: 0.15, unavailable: 0.15, applied_unknown: 0.2, lost_unknown: 0.1, duplicate: 0.1 },
  reads: { unavailable: 0.05, stale: 0.1 },
};

describe('a storage that fails before and after writes', () => {
  it.each(Array.from({ length: 12 }, (_, seed) => [seed + 1]))(
    'never gives two tokens, nor one without an entry (seed %d)',
    async (seed) => {
      const role = { disallowReauthentication: seed % 2 === 0 };
      const { codes, winners, tokens, entry } = await race({
        processes: 3,
        plan: { ...FAULTS, seed },
        role,
        logins: 60,
      });
      expect(winners.length).toBeLessThanOrEqual(1);
      expect(tokens).toHaveLength(entry === undefined ? 0 : 1);
      const known = [
        'allowed',
        'nonce_mismatch',
        'reauthentication_disabled',
        'storage_unavailable',
        'storage_outcome_unknown',
      ];
      // The audit key is read from the same storage.
      expect([...known, 'audit_unavailable', 'storage_contended']).toEqual(expect.arrayContaining([...new Set(codes)]));
    },
  );

  it.each([
    ['unavailable', 'storage_unavailable', 0],
    ['lost_unknown', 'storage_outcome_unknown', 0],
    ['applied_unknown', 'allowed', 1],
    ['duplicate', 'allowed', 1],
    ['conflict', 'allowed', 1],
  ] as const)('at the commit of a login: %s ends in %s', async (fault, code, stored) => {
    const first = createTestMethod();
    const instance = first.cloud.launchInstance({ instanceId: 'i-1' });
    await first.putRole({ disallowReauthentication: true });
    const faults: { strike?: () => void } = {};
    const test = createTestMethod({
      beside: first,
      storage: (inner) => {
        const storage = createFaultStorage(inner);
        faults.strike = () => storage.failNextCommit(fault);
        return storage;
      },
    });
    // The audit key is there before.
    await codeOf(first.call('token.lookup-self', { token: 'x' }));
    faults.strike?.();
    expect(await codeOf(test.login(instance))).toBe(code);
    expect(await first.tokens()).toHaveLength(stored);
    expect((await first.entry('i-1')) === undefined ? 0 : 1).toBe(stored);
  });
});
