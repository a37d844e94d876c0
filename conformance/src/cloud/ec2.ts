/** DescribeInstances of the simulated cloud. */
import type { FakeInstance } from '@postern/testkit';
import type { SimulatedCloud } from './simulated-cloud.js';
import { type CloudAnswer, type Elements, ec2Answer, ec2Error } from './xml.js';

const FAULTS = {
  throttled: ec2Error(503, 'RequestLimitExceeded'),
  failed: ec2Error(500, 'InternalError'),
  denied: ec2Error(403, 'UnauthorizedOperation'),
};

const STATE_CODES = { pending: 0, running: 16, 'shutting-down': 32, terminated: 48, stopping: 64, stopped: 80 };

export function answerEc2(
  { cloud, faults }: SimulatedCloud,
  { accountId, region }: { readonly accountId: string; readonly region: string },
  parameters: URLSearchParams,
): CloudAnswer {
  const action = parameters.get('Action') ?? '';
  if (action !== 'DescribeInstances') return ec2Error(400, 'InvalidAction');
  const ids = [...parameters].filter(([name]) => name.startsWith('InstanceId.')).map(([, id]) => id);
  const fault = ids.map((id) => faults.get(id)).find((each) => each !== undefined);
  if (fault !== undefined) return FAULTS[fault];
  const found = ids.map((id) => cloud.instance(id)).filter((each) => each !== undefined);
  const visible = found.filter((each) => each.accountId === accountId && each.region === region);
  const missing = ids.filter((id) => !visible.some(({ instanceId }) => instanceId === id));
  if (missing.length > 0) {
    return ec2Error(400, 'InvalidInstanceID.NotFound', `The instance IDs '${missing.join(', ')}' do not exist`);
  }
  const reservationSet = visible.map((each) => ({
    reservationId: 'r-0',
    ownerId: accountId,
    instancesSet: [describe(each)],
  }));
  return ec2Answer(action, { reservationSet });
}

function describe(instance: FakeInstance): Elements {
  const { instanceProfileArn, state, tags } = instance;
  return {
    instanceId: instance.instanceId,
    imageId: instance.imageId,
    instanceState: { code: String(STATE_CODES[state]), name: state },
    placement: { availabilityZone: `${instance.region}a` },
    launchTime: instance.pendingTime,
    vpcId: instance.vpcId,
    subnetId: instance.subnetId,
    iamInstanceProfile: instanceProfileArn === undefined ? undefined : { arn: instanceProfileArn, id: 'AIPA0' },
    tagSet: [...tags].map(([key, value]) => ({ key, value })),
  };
}
