/**
 * DescribeInstances of up to a hundred ids. EC2 refuses a call whole when it does not know one of them, so the unknown are
 * left out and the others asked again: one unknown instance costs one call more, and fails nobody else's login.
 */
import { createEc2Client, type Ec2Client, type Ec2ClientParts } from '../query/ec2-client.js';
import type { ClientSettings } from '../sdk/client-settings.js';
import { errorCodeOf } from '../sdk/sdk-error.js';
import { DESCRIBED_INSTANCES, type DescribedInstance, readDescribedInstances } from './described-instance.js';

const UNKNOWN_IDS = new Set(['InvalidInstanceID.NotFound', 'InvalidInstanceID.Malformed']);
const INSTANCE_ID = /i-[0-9a-f]{8,17}/g;

/** Asks for up to a hundred instances by id; unknown ids are left out. @throws CloudRefusal, TransportError */
export type DescribeInstances = (
  ids: readonly string[],
  options: { readonly abortSignal: AbortSignal },
) => Promise<ReadonlyMap<string, DescribedInstance>>;

export function createDescribeInstances(parts: Ec2ClientParts, settings: ClientSettings): DescribeInstances {
  const client = createEc2Client(parts, settings);
  return (ids, options) => describeBatch(client, ids, options);
}

async function describeBatch(
  client: Ec2Client,
  ids: readonly string[],
  options: { readonly abortSignal: AbortSignal },
): Promise<ReadonlyMap<string, DescribedInstance>> {
  const found = new Map<string, DescribedInstance>();

  async function ask(asked: readonly string[], mayTrustNames: boolean): Promise<void> {
    if (asked.length === 0) return;
    try {
      const question = {
        action: 'DescribeInstances',
        parameters: asked.map((id, index) => [`InstanceId.${index + 1}`, id] as const),
        shape: DESCRIBED_INSTANCES,
        read: readDescribedInstances,
      };
      for (const instance of await client.ask(question, options)) {
        if (instance.instanceId !== undefined) found.set(instance.instanceId, instance);
      }
    } catch (error) {
      if (!UNKNOWN_IDS.has(errorCodeOf(error) ?? '')) throw error;
      if (asked.length === 1) return;
      const named = new Set(error instanceof Error ? error.message.match(INSTANCE_ID) : []);
      const rest = asked.filter((id) => !named.has(id));
      // EC2 names all that it does not know. Where it did not, halving ends whatever it says.
      if (mayTrustNames && rest.length < asked.length) return ask(rest, false);
      const half = Math.ceil(asked.length / 2);
      await Promise.all([ask(asked.slice(0, half), false), ask(asked.slice(half), false)]);
    }
  }

  await ask(ids, true);
  return found;
}
