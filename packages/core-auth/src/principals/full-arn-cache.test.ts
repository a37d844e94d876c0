/** What is remembered of full ARNs, for how long, and what makes it forgotten (PRINCIPAL-3, PROVIDER-2, THREAT-28). */
import { describe, expect, it } from 'vitest';
import { createIamWorld, OTHER_ACCOUNT } from '../../test/create-iam-world.js';
import { ACCOUNT, codeOf, DAY } from '../../test/create-test-method.js';
import { createFullArns, type FullArnLimits } from './full-arn-cache.js';
import { type Principal, principalOf } from './principal.js';

const call = { requestId: 'x', peerAddress: undefined };

function world(limits?: FullArnLimits) {
  const test = createIamWorld();
  const role = test.cloud.createRole({ name: 'deploy', path: '/ops/' });
  const fullArns = createFullArns(test.context, limits);
  const principal = (name = 'deploy', accountId = ACCOUNT, uniqueId = role.uniqueId): Principal => {
    const made = principalOf(`arn:aws:sts::${accountId}:assumed-role/${name}/s`, uniqueId);
    if (made === undefined) throw new TypeError(name);
    return made;
  };
  return { ...test, role, principal, find: (who = principal()) => fullArns.find(who, call) };
}

describe('the full ARN of a principal', () => {
  it('is asked for once, in the account of the principal', async () => {
    const { find, cloud, role } = world();
    expect([await find(), await find()]).toEqual([role.arn, role.arn]);
    expect(cloud.calls.map(({ query }) => query)).toEqual([
      { partition: 'aws', accountId: ACCOUNT, type: 'role', name: 'deploy' },
    ]);
  });

  it('is asked for once by a fleet that comes at once', async () => {
    const { find, cloud } = world();
    await Promise.all(Array.from({ length: 50 }, () => find()));
    expect(cloud.calls).toHaveLength(1);
  });

  it('is remembered for a week since it was last asked for', async () => {
    const { find, cloud, clock } = world();
    await find();
    for (let week = 0; week < 3; week += 1) {
      clock.advance(7 * DAY - 1);
      await find();
    }
    expect(cloud.calls).toHaveLength(1);
    clock.advance(7 * DAY);
    await find();
    expect(cloud.calls).toHaveLength(2);
  });

  it('is remembered of so many principals only', async () => {
    const { find, cloud, principal } = world({ maxEntries: 1, maxIdleMs: DAY, maxUnconfirmedMs: DAY });
    const other = cloud.createRole({ name: 'other' });
    await find();
    await find(principal('other', ACCOUNT, other.uniqueId));
    await find();
    expect(cloud.calls).toHaveLength(3);
  });

  it.each([
    ['config.client.write', {}, { max_retries: 1 }],
    ['config.client.delete', {}, {}],
    ['config.sts.write', { account_id: ACCOUNT }, { sts_role: `arn:aws:iam::${ACCOUNT}:role/postern` }],
    ['config.sts.delete', { account_id: ACCOUNT }, {}],
  ])('is forgotten in every process with %s', async (operation, params, fields) => {
    const test = world();
    await test.host('config.client.write', {}, { max_retries: 0 });
    await test.host(
      'config.sts.write',
      { account_id: ACCOUNT },
      { sts_role: `arn:aws:iam::${ACCOUNT}:role/before`, external_id: 'e1' },
    );
    const other = createFullArns(createIamWorld({ beside: test }).context);
    await Promise.all([test.find(), other.find(test.principal(), call)]);
    expect(test.cloud.calls).toHaveLength(2);
    await test.host(operation, params, fields);
    await Promise.all([test.find(), other.find(test.principal(), call)]);
    expect(test.cloud.calls).toHaveLength(4);
  });

  it.each([
    ['unavailable', 'provider_unavailable'],
    ['denied', 'provider_denied'],
    ['misconfigured', 'provider_misconfigured'],
  ] as const)('is asked for again after %s', async (failure, code) => {
    const { find, cloud, role } = world();
    cloud.behaviour.describePrincipal.fail(failure, { times: 1 });
    expect(await codeOf(find())).toBe(code);
    expect(await find()).toBe(role.arn);
  });

  it('is asked for again where there was no such principal', async () => {
    const { find, role, principal } = world();
    const gone = principal();
    role.delete();
    expect(await codeOf(find(gone))).toBe('principal_not_found');
    role.recreate();
    expect(await codeOf(find(gone))).toBe('principal_mismatch');
    expect(await find(principal())).toBe(role.arn);
  });

  it('is not asked for in an account that is neither our own nor associated', async () => {
    const { find, cloud, principal } = world();
    expect(await codeOf(find(principal('deploy', OTHER_ACCOUNT)))).toBe('account_not_allowed');
    expect(cloud.calls).toEqual([]);
  });
});

describe('a directory that answers for another principal', () => {
  const right = { arn: `arn:aws:iam::${ACCOUNT}:role/ops/deploy`, uniqueId: 'AROAX' };
  it.each([
    [
      'another account (CVE-2025-11621, CVE-2025-59048)',
      { ...right, arn: `arn:aws:iam::${OTHER_ACCOUNT}:role/ops/deploy` },
    ],
    ['another partition', { ...right, arn: `arn:aws-cn:iam::${ACCOUNT}:role/ops/deploy` }],
    ['another name', { ...right, arn: `arn:aws:iam::${ACCOUNT}:role/ops/other` }],
    ['another type', { ...right, arn: `arn:aws:iam::${ACCOUNT}:user/ops/deploy` }],
    ['another unique id', { ...right, uniqueId: 'AROAY' }],
    ['no ARN', { ...right, arn: '' }],
  ])('is not believed: %s', async (_name, answer) => {
    let asked = 0;
    const test = createIamWorld({
      ports: {
        cloud: {
          describePrincipal: async () => {
            asked += 1;
            return answer;
          },
        },
      },
    });
    const fullArns = createFullArns(test.context);
    const principal = principalOf(`arn:aws:sts::${ACCOUNT}:assumed-role/deploy/s`, 'AROAX');
    if (principal === undefined) throw new TypeError();
    expect(await codeOf(fullArns.find(principal, call))).toBe('principal_mismatch');
    expect(await codeOf(fullArns.find(principal, call))).toBe('principal_mismatch');
    expect(asked).toBe(2);
  });

  it('a user has the path that STS named', async () => {
    const test = createIamWorld();
    const user = test.cloud.createUser({ name: 'Bob', path: '/path/' });
    const fullArns = createFullArns(test.context);
    const named = (path: string) => principalOf(`arn:aws:iam::${ACCOUNT}:user/${path}Bob`, user.uniqueId);
    const [moved, still] = [named(''), named('path/')];
    if (moved === undefined || still === undefined) throw new TypeError();
    expect(await codeOf(fullArns.find(moved, call))).toBe('principal_mismatch');
    expect(await fullArns.find(still, call)).toBe(user.arn);
    expect(await codeOf(fullArns.find(moved, call))).toBe('principal_mismatch');
  });
});

describe('a principal whose token is renewed', () => {
  const HOUR = 3_600_000;
  function confirming() {
    const test = world();
    const fullArns = createFullArns(test.context);
    const principal = test.principal();
    return { ...test, fullArns, principal, confirm: () => codeOf(fullArns.confirm(principal, call)) };
  }

  it('is asked about once an hour, and not in the hour of its proof', async () => {
    const { fullArns, principal, confirm, cloud, clock } = confirming();
    fullArns.confirmed(principal);
    clock.advance(HOUR);
    expect(await confirm()).toBe('allowed');
    expect(cloud.calls).toEqual([]);
    clock.advance(1);
    expect([await confirm(), await confirm()]).toEqual(['allowed', 'allowed']);
    expect(cloud.calls).toHaveLength(1);
  });

  it('is asked about again after the clock was set back', async () => {
    const { fullArns, principal, confirm, cloud, clock } = confirming();
    fullArns.confirmed(principal);
    clock.advance(-26 * HOUR);
    expect(await confirm()).toBe('allowed');
    expect(cloud.calls).toHaveLength(1);
  });

  it('W11: is rejected once it was deleted, or created again', async () => {
    const { confirm, role, clock } = confirming();
    expect(await confirm()).toBe('allowed');
    role.delete();
    clock.advance(HOUR + 1);
    expect([await confirm(), await confirm()]).toEqual(['principal_not_found', 'principal_not_found']);
    role.recreate();
    expect(await confirm()).toBe('principal_mismatch');
  });

  it.each([
    ['denied', 'allowed'],
    ['misconfigured', 'allowed'],
    ['unavailable', 'provider_unavailable'],
  ] as const)('where the provider is %s: %s', async (failure, code) => {
    const { confirm, cloud } = confirming();
    cloud.behaviour.describePrincipal.fail(failure, { times: 1 });
    expect(await confirm()).toBe(code);
  });

  it('W11: no longer matches a pattern by what was remembered of it', async () => {
    const { fullArns, principal, confirm, role, clock } = confirming();
    expect(await fullArns.find(principal, call)).toBe(role.arn);
    role.delete();
    clock.advance(HOUR + 1);
    expect(await confirm()).toBe('principal_not_found');
    expect(await codeOf(fullArns.find(principal, call))).toBe('principal_not_found');
  });
});
