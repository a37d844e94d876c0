/**
 * What a login costs the busiest process of a server with two workers, for what it costs a server of one: how far it scales where there
 * are cores for it. On PostgreSQL, `postern serve` as it is started; CPU of every process is read from the system.
 *
 * Skipped where PostgreSQL is not installed. `--quick`: fewer logins. Exit code 1 when a login is refused.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type StsIdentity, signGetCallerIdentity } from '@postern/testkit';
import { servePostern } from '../../internal/src/server/postern-process.js';
import { createSite, IMAGE_ID, LOGIN_PATH } from '../../internal/src/server/site.js';
import { createCluster, findPrograms } from '../../interop/postgres/cluster.js';
import { median, report } from './figures.js';
import { runSts } from './iam-logins/sts-part.js';
import { startChild } from './logins/child-report.js';
import { sendAll } from './logins/load.js';

/** For each process that serves. */
const CONNECTIONS = 64;
const ROLE = 'bench';
const MICROS_OF_A_TICK = 10_000;
/** 1.6 times as many logins. */
const TARGET = 0.625;
const CALLER: StsIdentity = {
  accountId: '111122223333',
  arn: 'arn:aws:iam::111122223333:user/bench',
  userId: 'AIDABENCHBENCHBENCHB',
};

/** User and system time of a process (proc_pid_stat(5)). */
function cpuMicros(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * MICROS_OF_A_TICK;
}

function processesOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...children.split(' ').filter(Boolean).map(Number)];
}

interface Server {
  readonly port: number;
  readonly workers: number;
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

/** CPU of each process for one login, microseconds. */
async function measure({ port, pids, workers }: Server, bodies: readonly string[]): Promise<readonly number[]> {
  const before = pids.map(cpuMicros);
  const { refused, answered } = await sendAll(port, LOGIN_PATH, bodies, CONNECTIONS * workers);
  if (refused > 0) throw new Error(`${refused} of ${answered} logins were refused`);
  return pids.map((pid, at) => (cpuMicros(pid) - (before[at] ?? 0)) / answered);
}

async function main(programs: string, isQuick: boolean): Promise<void> {
  const [rounds, perRound] = isQuick ? [3, 1200] : [5, 3000];
  const cluster = await createCluster({ max_connections: '100' }, programs);
  const sts = await startChild(fileURLToPath(import.meta.url), 'sts', CALLER);
  const servers: Server[] = [];

  /** @returns the server, and what makes bodies that it takes. */
  async function start(kind: 'ec2' | 'iam', workers: number) {
    const site = createSite({
      storage: { postgres: { url: cluster.connectionString, schema: `${kind}_${workers}` } },
      ...(kind === 'iam' ? { provider: undefined } : {}),
      workers,
    });
    const served = await servePostern(site.configFile);
    const write = (path: string, fields: object) =>
      fetch(`${served.url}/v1/auth/cloud/${path}`, {
        method: 'POST',
        headers: { 'x-service-token': served.rootToken ?? '' },
        body: JSON.stringify(fields),
      });
    if (kind === 'ec2') await write(`role/${ROLE}`, { auth_type: 'ec2', bound_ami_id: [IMAGE_ID] });
    else {
      await write('config/client', { sts_endpoint: `http://127.0.0.1:${sts.port}` });
      const bound = { auth_type: 'iam', bound_iam_principal_arn: [CALLER.arn], resolve_cloud_unique_ids: false };
      await write(`role/${ROLE}`, bound);
    }
    const server: Server = {
      port: Number(new URL(served.url).port),
      workers,
      pids: processesOf(served.pid),
      async stop() {
        served.signal('SIGTERM');
        await served.ended;
        site.remove();
      },
    };
    servers.push(server);
    const take = (count: number) =>
      Array.from({ length: count }, () =>
        kind === 'ec2' ? JSON.stringify({ role: ROLE, pkcs7: site.newDocument().pkcs7 }) : signedBody(),
      );
    return { server, take };
  }

  try {
    for (const kind of ['ec2', 'iam'] as const) {
      const [one, two] = [await start(kind, 1), await start(kind, 2)];
      const ratios: number[] = [];
      const shown: string[] = [];
      for (let round = -1; round < rounds; round += 1) {
        const alone = Math.max(...(await measure(one.server, one.take(perRound))));
        const each = await measure(two.server, two.take(perRound));
        // The first warms up.
        if (round < 0) continue;
        ratios.push(Math.max(...each) / alone);
        shown.push(`${alone.toFixed(0)} against ${each.map((micros) => micros.toFixed(0)).join(' + ')}`);
      }
      report({ name: `${kind} login, busiest of two workers / one process`, ratios, better: 'lower', target: TARGET });
      console.log(
        `  ${(1 / median(ratios)).toFixed(2)} times as many; µs: ${shown.join(', ')} (the first passes connections on and writes the audit log)`,
      );
      for (const server of servers.splice(0)) await server.stop();
    }
  } finally {
    for (const server of servers) await server.stop();
    await sts.stop();
    await cluster.remove();
  }
}

let signed = 0;

function signedBody(): string {
  signed += 1;
  const credentials = { accessKeyId: `AKIA${String(signed).padStart(16, '0')}`, secretAccessKey: 'of the benchmark' };
  return JSON.stringify({ role: ROLE, ...signGetCallerIdentity({ credentials, date: Date.now() }) });
}

const [, , part, json = ''] = process.argv;
const programs = findPrograms(['--present']);
if (part === 'sts') runSts(JSON.parse(json) as StsIdentity);
else if (programs === '') console.log('skipped: PostgreSQL is not installed');
else await main(programs, process.argv.includes('--quick'));
