/** What a call to EC2 is sent with, beside what second-opinion.test.ts holds against the SDK's client. */
import { afterEach, describe, expect, it } from 'vitest';
import { type AwsWorld, createAwsWorld, instanceId, OWN, type ProviderChanges } from '../../test/aws-world.js';
import { ec2ErrorXml, fail } from '../../test/fake-aws.js';

const HOUR_MS = 3_600_000;

let world: AwsWorld;
afterEach(() => world.close());

async function openWorld(changes: ProviderChanges = {}, maxRetries = 0) {
  world = await createAwsWorld(changes, { maxRetries });
  world.aws.instances.set(instanceId(1), { accountId: OWN });
}

const look = () => world.provider.describeInstance({ accountId: OWN, region: 'us-east-1', instanceId: instanceId(1) });
const sent = () => world.aws.called('DescribeInstances').map(({ headers }) => headers);

it('a call names its session, its body and postern', async () => {
  await openWorld({}, 0);
  world.associate(OWN);
  await look();
  expect(sent()[0]).toMatchObject({
    'user-agent': 'postern',
    'x-amz-security-token': 'session-token-canary',
    'x-amz-content-sha256': expect.stringMatching(/^[0-9a-f]{64}$/),
    authorization: expect.stringMatching(/SignedHeaders=\S*host;x-amz-content-sha256;x-amz-date;x-amz-security-token,/),
  });
});

describe('a clock that is not that of EC2', () => {
  /** EC2 as strict as it is: five minutes. */
  const refuseOthers = (aheadMs: number) => {
    world.aws.hook = ({ action, headers }, response) => {
      if (action !== 'DescribeInstances') return false;
      const now = Date.now() + aheadMs;
      response.setHeader('date', new Date(now).toUTCString());
      const at = String(headers['x-amz-date']).replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5');
      return Math.abs(Date.parse(at) - now) > 300_000 && fail(response, 403, ec2ErrorXml('AuthFailure'));
    };
  };

  it.each([HOUR_MS, -HOUR_MS])('is found out by the first attempt, and holds from then on (%d ms)', async (aheadMs) => {
    await openWorld({}, 2);
    refuseOthers(aheadMs);
    expect((await look())?.state).toBe('running');
    expect(sent()).toHaveLength(2);
    await look();
    expect(sent()).toHaveLength(3);
  });

  it('is not found out by an answer out of a cache, and not blamed for a refusal that has another cause', async () => {
    await openWorld({}, 2);
    const wrong = new Date(Date.now() + HOUR_MS).toUTCString();
    world.aws.hook = ({ action }, response) =>
      action === 'DescribeInstances' && fail(response, 403, ec2ErrorXml('AuthFailure'), { date: wrong, age: '3600' });
    await expect(look()).rejects.toMatchObject({ code: 'misconfigured' });
    expect(sent()).toHaveLength(1);
  });
});
