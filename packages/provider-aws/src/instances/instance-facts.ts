/** What EC2 says of an instance, as the port tells it: absent facts are absent. */
import type { InstanceFacts, InstanceQuery } from '@postern/ports';
import { regionOfZone } from '../partition.js';
import type { DescribedInstance } from './describe-batch.js';

/**
 * The region is that of the instance's zone where EC2 tells one: an endpoint of the operator's answers for whichever region
 * it likes (INSTANCE-1).
 */
export function instanceFacts(query: InstanceQuery, { instance, ownerId }: DescribedInstance): InstanceFacts {
  const zone = instance.Placement?.AvailabilityZone;
  return {
    instanceId: query.instanceId,
    accountId: present(ownerId),
    region: (zone === undefined ? undefined : regionOfZone(zone)) ?? query.region,
    state: instance.State?.Name ?? '',
    imageId: present(instance.ImageId),
    vpcId: present(instance.VpcId),
    subnetId: present(instance.SubnetId),
    instanceProfileArn: present(instance.IamInstanceProfile?.Arn),
    tags: new Map((instance.Tags ?? []).flatMap(({ Key, Value }) => (Key === undefined ? [] : [[Key, Value ?? '']]))),
  };
}

function present(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
