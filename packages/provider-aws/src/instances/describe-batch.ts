/**
 * DescribeInstances of up to a hundred ids. EC2 refuses a call whole when it does not know one of them, so the unknown are
 * left out and the others asked again: one unknown instance costs one call more, and fails nobody else's login.
 */
import type { EC2Client, Instance, Reservation } from '@aws-sdk/client-ec2';
import { loadEc2 } from '../sdk/load-sdk.js';
import { errorCodeOf } from '../sdk/sdk-error.js';

/** An instance with the account that its reservation says it is of. */
export interface DescribedInstance {
  readonly instance: Instance;
  readonly ownerId: string | undefined;
}

const UNKNOWN_IDS = new Set(['InvalidInstanceID.NotFound', 'InvalidInstanceID.Malformed']);
const INSTANCE_ID = /i-[0-9a-f]{8,17}/g;

/** @throws the SDK's errors, all but those that say that an id is unknown */
export async function describeBatch(
  client: EC2Client,
  ids: readonly string[],
  options: { readonly abortSignal: AbortSignal },
): Promise<ReadonlyMap<string, DescribedInstance>> {
  const { DescribeInstancesCommand } = await loadEc2();
  const found = new Map<string, DescribedInstance>();

  async function ask(asked: readonly string[], mayTrustNames: boolean): Promise<void> {
    if (asked.length === 0) return;
    let reservations: readonly Reservation[];
    try {
      const answer = await client.send(new DescribeInstancesCommand({ InstanceIds: [...asked] }), options);
      reservations = answer.Reservations ?? [];
    } catch (error) {
      if (!UNKNOWN_IDS.has(errorCodeOf(error) ?? '')) throw error;
      if (asked.length === 1) return;
      const named = new Set(error instanceof Error ? error.message.match(INSTANCE_ID) : []);
      const rest = asked.filter((id) => !named.has(id));
      // EC2 names all that it does not know. Where it did not, halving ends whatever it says.
      if (mayTrustNames && rest.length < asked.length) return ask(rest, false);
      const half = Math.ceil(asked.length / 2);
      await Promise.all([ask(asked.slice(0, half), false), ask(asked.slice(half), false)]);
      return;
    }
    for (const { Instances, OwnerId } of reservations) {
      for (const instance of Instances ?? []) {
        if (instance.InstanceId !== undefined) found.set(instance.InstanceId, { instance, ownerId: OwnerId });
      }
    }
  }

  await ask(ids, true);
  return found;
}
