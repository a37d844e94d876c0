/**
 * What 1,000 concurrent lookups of instances cost when they travel together, a hundred in a call (INSTANCE-3), beside as
 * many calls of one each. The provider is a process of its own that answers at once, so that only our side is measured: CPU
 * of this process, both sides in the same run and in turns.
 *
 * `--quick`: fewer rounds. Exit code 1 when together costs more than a quarter.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createAwsProvider } from '@postern/provider-aws';
import { median, report } from './figures.js';

const LIMIT = 0.25;
const LOOKUPS = 1000;
const ROUNDS = process.argv.includes('--quick') ? 3 : 9;
const OWN = '123456789012';
const AS_PROVIDER = '--as-provider';

const instanceId = (number: number): string => `i-${number.toString(16).padStart(17, '0')}`;

/** What EC2 says of an instance, in a tenth of its words. */
function instanceXml(id: string): string {
  return `<item><reservationId>r-1</reservationId><ownerId>${OWN}</ownerId><instancesSet><item><instanceId>${id}</instanceId><imageId>ami-12345678</imageId><instanceState><code>16</code><name>running</name></instanceState><instanceType>m5.large</instanceType><launchTime>2026-01-01T00:00:00.000Z</launchTime><placement><availabilityZone>us-east-1a</availabilityZone><tenancy>default</tenancy></placement><subnetId>subnet-12345678</subnetId><vpcId>vpc-12345678</vpcId><privateIpAddress>10.0.0.1</privateIpAddress><architecture>x86_64</architecture><iamInstanceProfile><arn>arn:aws:iam::${OWN}:instance-profile/web</arn><id>AIPA1</id></iamInstanceProfile><tagSet><item><key>Name</key><value>web</value></item></tagSet></item></instancesSet></item>`;
}

/** The provider: answers DescribeInstances and GetCallerIdentity, and counts the former. */
function serveProvider(): void {
  let calls = 0;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const parameters = new URLSearchParams(body);
    const action = parameters.get('Action') ?? '';
    response.setHeader('content-type', 'text/xml');
    if (action === 'GetCallerIdentity') {
      const arn = `arn:aws:iam::${OWN}:user/bench`;
      response.end(
        `<${action}Response><${action}Result><Arn>${arn}</Arn><UserId>A</UserId><Account>${OWN}</Account></${action}Result></${action}Response>`,
      );
      return;
    }
    calls += 1;
    const ids = [...parameters].filter(([name]) => name.startsWith('InstanceId.')).map(([, id]) => id);
    response.end(
      `<${action}Response><reservationSet>${ids.map(instanceXml).join('')}</reservationSet></${action}Response>`,
    );
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.on('message', () => {
    process.send?.(calls);
    calls = 0;
  });
  process.on('disconnect', () => process.exit());
}

async function runBench(): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), [AS_PROVIDER]);
  const [port] = (await once(child, 'message')) as [number];
  const endpoint = `http://127.0.0.1:${port}`;
  const clientConfig = {
    accessKey: 'AKIABENCH',
    secretKey: 'secret',
    maxRetries: 0,
    endpoint,
    iamEndpoint: endpoint,
    stsEndpoint: endpoint,
    stsRegion: '',
  };
  const makeProvider = (coalesceMax: number) =>
    createAwsProvider({
      configuration: { clientConfig: () => clientConfig, stsAssociation: () => undefined },
      clock: { now: () => Date.now() },
      limits: { coalesceMax, totalTimeoutMs: 60_000, attemptTimeoutMs: 60_000 },
    });
  const together = makeProvider(100);
  const apart = makeProvider(1);

  /** CPU microseconds of a lookup, user and system, and the calls that all of them made. */
  async function measure(provider: typeof together): Promise<{ readonly cpu: number; readonly calls: number }> {
    const before = process.cpuUsage();
    const found = await Promise.all(
      Array.from({ length: LOOKUPS }, (_, number) =>
        provider.describeInstance({ accountId: OWN, region: 'us-east-1', instanceId: instanceId(number) }),
      ),
    );
    const { user, system } = process.cpuUsage(before);
    for (const [number, facts] of found.entries()) {
      if (facts?.instanceId !== instanceId(number)) throw new Error('a lookup got the answer of another');
    }
    child.send('calls');
    const [calls] = (await once(child, 'message')) as [number];
    return { cpu: (user + system) / LOOKUPS, calls };
  }

  await measure(together);
  await measure(apart);
  const rounds: { readonly together: number; readonly apart: number }[] = [];
  let calls = { together: 0, apart: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    const apartFirst = round % 2 === 0 ? await measure(apart) : undefined;
    const one = await measure(together);
    const other = apartFirst ?? (await measure(apart));
    rounds.push({ together: one.cpu, apart: other.cpu });
    calls = { together: one.calls, apart: other.calls };
  }
  await Promise.all([together.close(), apart.close()]);
  child.disconnect();

  const ratios = rounds.map((round) => round.together / round.apart);
  const cpu = (side: 'together' | 'apart'): string => median(rounds.map((round) => round[side])).toFixed(1);
  console.log(`${LOOKUPS} lookups apart: ${calls.apart} calls, ${cpu('apart')} µs CPU each`);
  console.log(`${LOOKUPS} lookups together: ${calls.together} calls, ${cpu('together')} µs CPU each`);
  report({ name: 'lookups together / apart', ratios, better: 'lower', limit: LIMIT });
}

if (process.argv.includes(AS_PROVIDER)) serveProvider();
else await runBench();
