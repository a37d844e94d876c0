/**
 * What durable logins on PostgreSQL cost: CPU of the server and of the database, and the time of one login with 2 ms added to each way
 * between them. Against the same logins on SQLite, in turns.
 *
 * Skipped where PostgreSQL is not installed. `--quick`: fewer logins. Exit code 1 when a login is refused.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFakeCloud, type StsIdentity, signGetCallerIdentity } from '@postern/testkit';
import { type Cluster, createCluster, findPrograms } from '../../interop/postgres/cluster.js';
import { createWire } from '../../interop/postgres/wire.js';
import { median, report } from './figures.js';
import { type IamPosternInput, runIamPostern } from './iam-logins/postern-part.js';
import { runSts } from './iam-logins/sts-part.js';
import { type ServerChild, startChild } from './logins/child-report.js';
import { type Measured, measure, ratiosOf, type Side } from './logins/in-turns.js';
import { type PosternInput, ROLE, runPostern } from './logins/postern-part.js';

const IMAGE_ID = 'ami-0123456789abcdef0';
const CONNECTIONS = 64;
const PATH = '/v1/auth/cloud/login';
const WAY_MS = 2;
/** Logins one after another, for the time of one. */
const ALONE = 40;
const MICROS_OF_A_TICK = 10_000;
const CALLER: StsIdentity = {
  accountId: '111122223333',
  arn: 'arn:aws:iam::111122223333:user/bench',
  userId: 'AIDABENCHBENCHBENCHB',
};

type Take = Side['take'];
type Kind = 'ec2' | 'iam';

/** CPU of a PostgreSQL server: of its processes and of those that ended, microseconds. */
function databaseMicros(pid: number): number {
  let ticks = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // After the name of the program, which may hold spaces: state, parent, … (proc_pid_stat(5)).
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      const isServer = Number(name) === pid;
      if (!isServer && Number(fields[1]) !== pid) continue;
      for (const at of isServer ? [11, 12, 13, 14] : [11, 12]) ticks += Number(fields[at]);
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks * MICROS_OF_A_TICK;
}

const each = (make: () => string) => (count: number) => Array.from({ length: count }, make);

let signed = 0;

/** Each signed with a key of its own, so that no two logins are alike. */
const iamLogins: Take = (count) => {
  const date = Date.now();
  return Array.from({ length: count }, () => {
    signed += 1;
    const credentials = { accessKeyId: `AKIA${String(signed).padStart(16, '0')}`, secretAccessKey: 'of the benchmark' };
    return JSON.stringify({ role: ROLE, ...signGetCallerIdentity({ credentials, date }) });
  });
};

async function main(programs: string, isQuick: boolean): Promise<void> {
  const rounds = isQuick ? 3 : 5;
  const perRound = isQuick ? 600 : 2000;
  const cloud = createFakeCloud({ clock: { now: () => Date.now() } });
  const pkcs7 = () => cloud.launchInstance({ imageId: IMAGE_ID }).identityDocument().rsa2048.replaceAll('\n', '');
  const known = Array.from({ length: perRound }, () =>
    JSON.stringify({ role: ROLE, pkcs7: pkcs7(), nonce: 'of the bench' }),
  );
  const logins: readonly (readonly [name: string, kind: Kind, take: Take])[] = [
    ['first login', 'ec2', each(() => JSON.stringify({ role: ROLE, pkcs7: pkcs7() }))],
    // The warm-up makes them known.
    ['repeated login', 'ec2', () => known],
    ['iam login', 'iam', iamLogins],
  ];
  const script = fileURLToPath(import.meta.url);
  const children: ServerChild[] = [];
  const folders: string[] = [];
  const start = async (part: string, input: unknown) => {
    const child = await startChild(script, part, input);
    children.push(child);
    return child;
  };
  const cluster = await createCluster({}, programs);
  const wire = await createWire(cluster.port, WAY_MS);
  try {
    const sts = await start('sts', CALLER);
    const serve = (kind: Kind, port?: number) => {
      const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'));
      folders.push(folder);
      const postgres =
        port === undefined ? {} : { postgres: { ...cluster.connection, port, schema: `${kind}_${port}` } };
      const ec2: PosternInput = { folder, imageId: IMAGE_ID, certificates: cloud.defaultCertificates(), ...postgres };
      const stsUrl = `http://127.0.0.1:${sts.port}`;
      const iam: IamPosternInput = { folder, stsUrl, role: ROLE, principalArn: CALLER.arn, ...postgres };
      return kind === 'ec2' ? start('ec2', ec2) : start('iam', iam);
    };
    console.log(`${CONNECTIONS} connections, ${rounds} rounds of ${perRound}; alone: ${WAY_MS} ms added to each way`);
    for (const kind of ['ec2', 'iam'] as const) {
      const [near, far, file] = [await serve(kind, cluster.port), await serve(kind, wire.port), await serve(kind)];
      for (const [name, ofKind, take] of logins) {
        if (ofKind !== kind) continue;
        const side = (child: ServerChild): Side => ({ child, path: PATH, take });
        await compare(name, cluster, [side(near), side(file)], { rounds, perRound });
        const waits: number[] = [];
        for (let round = 0; round < rounds; round += 1) {
          const alone = await measure({ ...side(far), take: (count) => take(count).slice(0, ALONE) }, ALONE, 1);
          waits.push(alone.p50Ms / (2 * WAY_MS));
        }
        wire.clear();
        report({
          name: `${name} alone, PostgreSQL / a round trip of 4 ms`,
          ratios: waits,
          better: 'lower',
          target: 3,
          judged: false,
        });
      }
    }
  } finally {
    for (const child of children) await child.stop();
    await wire.close();
    await cluster.remove();
    for (const folder of folders) rmSync(folder, { recursive: true });
  }
}

/** Reports what a login costs the server and the database, each for what it costs the server on SQLite. */
async function compare(
  name: string,
  cluster: Cluster,
  [near, file]: readonly [Side, Side],
  { rounds, perRound }: { readonly rounds: number; readonly perRound: number },
): Promise<void> {
  const onPostgres: Measured[] = [];
  const onSqlite: Measured[] = [];
  const inDatabase: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const before = databaseMicros(cluster.pid());
    const measured = await measure(near, perRound, CONNECTIONS);
    const database = (databaseMicros(cluster.pid()) - before) / perRound;
    const bare = await measure(file, perRound, CONNECTIONS);
    // The first warms up.
    if (round < 0) continue;
    onPostgres.push(measured);
    onSqlite.push(bare);
    inDatabase.push(database);
  }
  const micros = (all: readonly Measured[]) => median(all.map(({ cpuMicros }) => cpuMicros)).toFixed(0);
  const shares = inDatabase.map((each, round) => each / (onSqlite[round]?.cpuMicros ?? Number.NaN));
  const ratios = ratiosOf(onPostgres, onSqlite);
  report({ name: `${name}, PostgreSQL / SQLite`, ratios, better: 'lower', target: 1.5 });
  report({ name: `${name}, the database / SQLite`, ratios: shares, better: 'lower', target: 0.85 });
  const p50 = median(onPostgres.map(({ p50Ms }) => p50Ms)).toFixed(1);
  console.log(
    `  ${micros(onPostgres)} µs in the server, ${median(inDatabase).toFixed(0)} in the database, ${micros(onSqlite)} on SQLite; p50 ${p50} ms`,
  );
}

const [, , part = '', json = ''] = process.argv;
const programs = findPrograms(['--present']);
if (part === 'ec2') await runPostern(JSON.parse(json) as PosternInput);
else if (part === 'iam') await runIamPostern(JSON.parse(json) as IamPosternInput);
else if (part === 'sts') runSts(JSON.parse(json) as StsIdentity);
else if (programs === '') console.log('skipped: PostgreSQL is not installed');
else await main(programs, process.argv.includes('--quick'));
