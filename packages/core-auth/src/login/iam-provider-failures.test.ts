/** A provider that is down, slow or shedding load (ERROR-5, STS-12): never a denial, never a pass, never remembered. */
import { describe, expect, it } from 'vitest';
import { createIamWorld, type IamWorld } from '../../test/create-iam-world.js';
import { ACCOUNT, codeOf } from '../../test/create-test-method.js';

async function world(ports = {}) {
  const test = createIamWorld({ ports });
  const role = test.cloud.createRole({ name: 'deploy' });
  await test.putIamRole({ boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:role/*`] });
  const enter = (signal?: AbortSignal) =>
    test.signIn(test.sts.assumeRole(role, { sessionName: 'sess' }), 'r', { signal });
  return { ...test, role, enter };
}

type Trouble = (test: IamWorld) => void;

const TROUBLES: readonly (readonly [string, Trouble, number])[] = [
  ['STS throttles', ({ sts }) => sts.behaviour.throttle({ retryAfterSeconds: 7 }), 7],
  ['STS throttles with 400', ({ sts }) => sts.behaviour.throttle({ status: 400 }), 5],
  ['STS fails', ({ sts }) => sts.behaviour.fail(503), 5],
  ['STS answers with a page', ({ sts }) => sts.behaviour.fail(502, { html: true }), 5],
  ['STS closes in the middle', ({ sts }) => sts.behaviour.closeMidAnswer(), 5],
  ['IAM throttles', ({ cloud }) => cloud.behaviour.describePrincipal.throttle({ retryAfterSeconds: 3 }), 3],
  ['IAM fails', ({ cloud }) => cloud.behaviour.describePrincipal.fail('unavailable'), 5],
];

describe('while the provider cannot be asked', () => {
  it.each(TROUBLES)('%s: try again, and nothing is remembered', async (_name, trouble, retryAfterSeconds) => {
    const test = await world();
    trouble(test);
    for (let tries = 0; tries < 2; tries += 1) {
      await expect(test.enter()).rejects.toMatchObject({
        code: 'provider_unavailable',
        kind: 'unavailable',
        retryAfterSeconds,
      });
      expect(test.events.at(-1)).toMatchObject({ outcome: 'unavailable', code: 'provider_unavailable' });
    }
    expect(await test.tokens()).toEqual([]);
    test.sts.behaviour.restore();
    test.cloud.behaviour.describePrincipal.restore();
    expect(await codeOf(test.enter())).toBe('allowed');
  });

  it.each<[string, Trouble]>([
    ['STS', ({ sts }) => sts.behaviour.hang({ times: 1 })],
    ['IAM', ({ cloud }) => cloud.behaviour.describePrincipal.hang({ times: 1 })],
  ])('%s hangs: a caller who gives up is let go, and holds up nobody', async (_name, trouble) => {
    const test = await world();
    trouble(test);
    const controller = new AbortController();
    const given = codeOf(test.enter(controller.signal));
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort();
    expect(['aborted', 'provider_unavailable']).toContain(await given);
    expect(test.events.at(-1)?.outcome).toBe('unavailable');
    expect(await codeOf(test.enter())).toBe('allowed');
  });

  it('a slow provider delays no other login', async () => {
    const test = await world();
    await test.putIamRole({ name: 'exact', boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:role/deploy`] });
    test.cloud.behaviour.describePrincipal.hang();
    const controller = new AbortController();
    const waiting = codeOf(test.enter(controller.signal));
    const others = Array.from({ length: 20 }, () =>
      codeOf(test.signIn(test.sts.assumeRole(test.role, { sessionName: 'sess' }), 'exact')),
    );
    expect(new Set(await Promise.all(others))).toEqual(new Set(['allowed']));
    controller.abort();
    expect(await waiting).not.toBe('allowed');
  });

  it.each([
    ['denied', 'provider_denied'],
    ['misconfigured', 'provider_misconfigured'],
  ] as const)('IAM access that is %s is for an operator to mend, not a denial', async (failure, code) => {
    const test = await world();
    test.cloud.behaviour.describePrincipal.fail(failure);
    expect(await codeOf(test.enter())).toBe(code);
    expect(test.events.at(-1)?.outcome).toBe('unavailable');
  });
});

describe('what STS says no to is a denial', () => {
  it('of a caller that it does not know', async () => {
    const test = await world();
    const credentials = test.sts.assumeRole(test.role, { sessionName: 'sess' });
    test.role.recreate();
    expect(await codeOf(test.signIn(credentials, 'r'))).toBe('caller_identity_refused');
    expect(test.events.at(-1)?.outcome).toBe('denied');
  });

  it('of a redirect, which is not followed', async () => {
    const test = await world();
    test.sts.behaviour.redirect('https://evil.example.org/');
    expect(await codeOf(test.enter())).toBe('evidence_unverified');
    expect(test.sts.calls).toHaveLength(1);
  });
});
