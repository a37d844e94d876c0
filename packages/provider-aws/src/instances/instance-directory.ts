/** Instances, by DescribeInstances (PROVIDER-1, INSTANCE-2, INSTANCE-3): coalesced, and patient with an instance that was just launched. */
import {
  type Clock,
  type InstanceDirectory,
  type InstanceFacts,
  type InstanceQuery,
  ProviderError,
} from '@postern/ports';
import type { FindAccess } from '../accounts/account-access.js';
import { type ClientKind, keptClient, noticingRefusal, placeOf } from '../accounts/kept-client.js';
import type { AwsProviderLimits, YoungInstanceRetry } from '../options.js';
import { partitionOf, regionOfZone } from '../partition.js';
import type { AskSdk } from '../sdk/ask.js';
import { loadEc2, loadSts } from '../sdk/load-sdk.js';
import type { SdkHandler } from '../transport/sdk-handler.js';
import type { Transport } from '../transport/transport.js';
import { sleep, withDeadline } from '../waiting.js';
import { createCoalescer } from './coalesce.js';
import type { DescribedInstance } from './described-instance.js';

export interface InstanceDirectoryParts {
  readonly clock: Clock;
  readonly limits: AwsProviderLimits;
  readonly young: YoungInstanceRetry;
  readonly handler: SdkHandler;
  readonly ask: AskSdk;
  readonly findAccess: FindAccess;
  readonly transport: Transport;
}

/** Text of another shape cannot be an EC2 instance id: it is not sent, where it would fail the call of all others. */
const INSTANCE_ID = /^i-(?:[0-9a-f]{8}|[0-9a-f]{17})$/;

type LoadInstance = (instanceId: string) => Promise<DescribedInstance | undefined>;

export function createInstanceDirectory(parts: InstanceDirectoryParts): InstanceDirectory {
  const { clock, limits, young, transport } = parts;

  async function look(query: InstanceQuery, signal: AbortSignal): Promise<InstanceFacts | undefined> {
    const partition = partitionOf(query.region);
    if (partition === undefined) throw new ProviderError('misconfigured', 'unknown region');
    const { createDescribeInstances } = await loadEc2();
    const access = await parts.findAccess({ partition, accountId: query.accountId }, { signal });
    if (!INSTANCE_ID.test(query.instanceId)) return undefined;
    const kind: ClientKind<LoadInstance> = {
      service: 'ec2',
      endpoint: ({ session }) => session.settings.ec2Endpoint,
      create: (settings, madeFor) => {
        const { attemptTimeoutMs } = limits;
        const describeInstances = createDescribeInstances({ transport, clock, attemptTimeoutMs }, settings);
        const options = { waitMs: limits.coalesceMs, maxBatch: limits.coalesceMax };
        return createCoalescer(options, (ids) =>
          parts.ask(
            'EC2 DescribeInstances',
            (call) => noticingRefusal(madeFor, () => describeInstances(ids, call)),
            placeOf('ec2', query.region, madeFor),
          ),
        );
      },
    };
    const load = keptClient(parts.handler, kind, access, query.region);
    const described = await load(query.instanceId);
    return described === undefined ? undefined : instanceFacts(query, described);
  }

  function isYoung({ launchedAfter }: InstanceQuery): boolean {
    return launchedAfter !== undefined && Math.abs(clock.now() - launchedAfter) <= young.youngForMs;
  }

  return {
    async describeInstance(query, options) {
      await Promise.all([transport.load(), loadEc2(), loadSts()]);
      return withDeadline(limits.totalTimeoutMs, options?.signal, async (signal) => {
        let found = await look(query, signal);
        for (let again = 0; found === undefined && again < young.attempts && isYoung(query); again += 1) {
          await sleep(young.delayMs * 2 ** again, signal);
          found = await look(query, signal);
        }
        return found;
      });
    },
  };
}

/**
 * The region is that of the instance's zone where EC2 tells one: an endpoint of the operator's answers for whichever region
 * it likes (INSTANCE-1).
 */
function instanceFacts({ instanceId, region }: InstanceQuery, described: DescribedInstance): InstanceFacts {
  const { zone, ownerId, state = '', imageId, vpcId, subnetId, instanceProfileArn, tags } = described;
  return {
    instanceId,
    accountId: ownerId,
    region: (zone === undefined ? undefined : regionOfZone(zone)) ?? region,
    state,
    imageId,
    vpcId,
    subnetId,
    instanceProfileArn,
    tags,
  };
}
