/** What DescribeInstances says of an instance, as much of it as is ever looked at. */
import { itemsAt, textAt, type XmlElement, XmlError, type XmlShape } from '../query/read-xml.js';

/** A text that is absent or empty is undefined. */
export interface DescribedInstance {
  readonly instanceId: string | undefined;
  /** The account that its reservation says it is of. */
  readonly ownerId: string | undefined;
  readonly state: string | undefined;
  readonly imageId: string | undefined;
  readonly zone: string | undefined;
  readonly vpcId: string | undefined;
  readonly subnetId: string | undefined;
  readonly instanceProfileArn: string | undefined;
  readonly tags: ReadonlyMap<string, string>;
}

export const DESCRIBED_INSTANCES: XmlShape = {
  reservationSet: {
    item: {
      ownerId: {},
      instancesSet: {
        item: {
          instanceId: {},
          imageId: {},
          instanceState: { name: {} },
          placement: { availabilityZone: {} },
          vpcId: {},
          subnetId: {},
          iamInstanceProfile: { arn: {} },
          tagSet: { item: { key: {}, value: {} } },
        },
      },
    },
  },
};

/** @throws XmlError for an answer that speaks of no reservations: one without any instance still has an empty set */
export function readDescribedInstances(answer: XmlElement): readonly DescribedInstance[] {
  if (textAt(answer, 'reservationSet') === undefined) throw new XmlError('no set of reservations');
  return itemsAt(answer, 'reservationSet').flatMap((reservation) => {
    const ownerId = present(reservation, 'ownerId');
    return itemsAt(reservation, 'instancesSet').map((instance) => ({
      instanceId: present(instance, 'instanceId'),
      ownerId,
      state: present(instance, 'instanceState', 'name'),
      imageId: present(instance, 'imageId'),
      zone: present(instance, 'placement', 'availabilityZone'),
      vpcId: present(instance, 'vpcId'),
      subnetId: present(instance, 'subnetId'),
      instanceProfileArn: present(instance, 'iamInstanceProfile', 'arn'),
      tags: readTags(instance),
    }));
  });
}

function readTags(instance: XmlElement): ReadonlyMap<string, string> {
  const tags = new Map<string, string>();
  for (const tag of itemsAt(instance, 'tagSet')) {
    const key = textAt(tag, 'key');
    if (key !== undefined) tags.set(key, textAt(tag, 'value') ?? '');
  }
  return tags;
}

function present(element: XmlElement, ...names: readonly string[]): string | undefined {
  const text = textAt(element, ...names);
  return text === '' ? undefined : text;
}
