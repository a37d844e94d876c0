import { isProviderError } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { createManualClock } from '../clock/manual-clock.js';
import { createFakeCloud } from './fake-cloud.js';
import type { FakeCloudOptions } from './fake-cloud-types.js';

const own = '111122223333';
const other = '444455556666';
const makeCloud = (options: Partial<FakeCloudOptions> = {}) => {
  const clock = createManualClock(1_700_000_000_000);
  const cloud = createFakeCloud({ clock, seed: 'behaviour', ...options });
  const instance = cloud.launchInstance();
  const query = { accountId: own, region: 'us-east-1', instanceId: instance.instanceId };
  const ask = (signal?: AbortSignal) => cloud.describeInstance(query, { signal });
  return { clock, cloud, instance, query, ask };
};

async function codeOf(asked: Promise<unknown>): Promise<string> {
  try {
    await asked;
    return 'answered';
  } catch (error) {
    return isProviderError(error) ? error.code : 'another error';
  }
}

describe('a directory method told to misbehave', () => {
  it('throttles with the time to wait, as often as told', async () => {
    const { cloud, ask } = makeCloud();
    cloud.behaviour.describeInstance.throttle({ retryAfterSeconds: 7, times: 1 });
    await expect(ask()).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 7 });
    expect(await codeOf(ask())).toBe('answered');
  });

  it.each(['unavailable', 'denied', 'misconfigured', 'account_not_allowed'] as const)(
    'fails with %s until restored',
    async (code) => {
      const { cloud, ask } = makeCloud();
      cloud.behaviour.describeInstance.fail(code);
      expect([await codeOf(ask()), await codeOf(ask())]).toEqual([code, code]);
      cloud.behaviour.describeInstance.restore();
      expect(await codeOf(ask())).toBe('answered');
    },
  );

  it('leaves the other methods alone', async () => {
    const { cloud } = makeCloud();
    cloud.behaviour.rolesOfProfile.deny();
    const principal = { partition: 'aws', accountId: own, type: 'role', name: 'none' } as const;
    const profile = { accountId: own, region: 'us-east-1', instanceProfileArn: 'arn:aws:iam::1:instance-profile/p' };
    expect(await codeOf(cloud.rolesOfProfile(profile))).toBe('denied');
    expect(await codeOf(cloud.describePrincipal(principal))).toBe('answered');
    cloud.behaviour.describePrincipal.throttle();
    expect(await codeOf(cloud.describePrincipal(principal))).toBe('unavailable');
  });

  it('lags by the given sleep and answers with what was true when asked', async () => {
    const slept: number[] = [];
    let wake: () => void = () => {};
    const { cloud, instance, ask } = makeCloud({
      sleep: (milliseconds) => {
        slept.push(milliseconds);
        return new Promise((resolve) => {
          wake = resolve;
        });
      },
    });
    cloud.behaviour.describeInstance.lag(250, { times: 1 });
    const answer = ask();
    instance.terminate();
    wake();
    expect((await answer)?.state).toBe('running');
    expect((await ask())?.state).toBe('terminated');
    expect(slept).toEqual([250]);
  });

  it('lags in real time when given no sleep, and stops waiting when aborted', async () => {
    const { cloud, ask } = makeCloud();
    cloud.behaviour.describeInstance.lag(5, { times: 1 });
    expect(await codeOf(ask())).toBe('answered');
    cloud.behaviour.describeInstance.lag(60_000);
    expect(await codeOf(ask(AbortSignal.timeout(5)))).toBe('unavailable');
  });

  it('lags and then fails when told both', async () => {
    const slept: number[] = [];
    const { cloud, ask } = makeCloud({
      sleep: async (milliseconds) => {
        slept.push(milliseconds);
      },
    });
    cloud.behaviour.describeInstance.lag(10);
    cloud.behaviour.describeInstance.deny();
    expect(await codeOf(ask())).toBe('denied');
    expect(slept).toEqual([10]);
  });

  it('hangs until the caller gives up', async () => {
    const { cloud, ask } = makeCloud();
    cloud.behaviour.describeInstance.hang({ times: 1 });
    const controller = new AbortController();
    let settled = false;
    const asked = codeOf(ask(controller.signal)).finally(() => {
      settled = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(settled).toBe(false);
    controller.abort();
    expect(await asked).toBe('unavailable');
    expect(await codeOf(ask())).toBe('answered');
  });
});

describe('accounts', () => {
  it('are refused before any call unless own or associated', async () => {
    const { cloud } = makeCloud();
    const { instanceId } = cloud.launchInstance({ accountId: other });
    const ask = () => cloud.describeInstance({ accountId: other, region: 'us-east-1', instanceId });
    expect(await codeOf(ask())).toBe('account_not_allowed');
    expect(cloud.calls).toEqual([]);
    cloud.associateAccount(other);
    expect((await ask())?.instanceId).toBe(instanceId);
    cloud.dissociateAccount(other);
    expect(await codeOf(ask())).toBe('account_not_allowed');
  });

  it('are checked by every directory', async () => {
    const { cloud } = makeCloud();
    const instanceProfileArn = `arn:aws:iam::${other}:instance-profile/p`;
    const asked = [
      cloud.rolesOfProfile({ accountId: other, region: 'us-east-1', instanceProfileArn }),
      cloud.describePrincipal({ partition: 'aws', accountId: other, type: 'role', name: 'r' }),
    ];
    expect(await Promise.all(asked.map(codeOf))).toEqual(['account_not_allowed', 'account_not_allowed']);
  });
});

describe('the log of calls', () => {
  it('holds what reached the cloud, with its time, failed or not', async () => {
    const { clock, cloud, query, ask } = makeCloud();
    await ask();
    clock.advance(1_500);
    cloud.behaviour.describeInstance.deny();
    await codeOf(ask());
    expect(cloud.calls).toEqual([
      { method: 'describeInstance', query, at: 1_700_000_000_000 },
      { method: 'describeInstance', query, at: 1_700_000_001_500 },
    ]);
    cloud.clearCalls();
    expect(cloud.calls).toEqual([]);
  });

  it('does not hold a call that was aborted before it was sent', async () => {
    const { cloud, ask } = makeCloud();
    expect(await codeOf(ask(AbortSignal.abort()))).toBe('unavailable');
    expect(cloud.calls).toEqual([]);
  });
});
