/**
 * Durable HTTP logins per CPU second of the server, against the bare ceiling in the same run and in turns; and what the
 * server's memory is when idle and after 20,000 instances. The load comes from this process, the servers are others.
 *
 * `--quick`: fewer logins. Exit code 1 when a login is refused.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFakeCloud } from '@postern/testkit';
import { type CeilingInput, runCeiling } from './logins/ceiling-part.js';
import { type ServerChild, startChild } from './logins/child-report.js';
import { type LoadReport, sendAll } from './logins/load.js';
import { type PosternInput, runPostern } from './logins/postern-part.js';

const IMAGE_ID = 'ami-0123456789abcdef0';
const ROLE = 'bench';
const CONNECTIONS = 64;

interface Side {
  readonly child: ServerChild;
  readonly path: string;
  readonly bodies: string[];
}

interface Measured extends LoadReport {
  readonly perCpuSecond: number;
}

async function measure({ child, path, bodies }: Side, count: number): Promise<Measured> {
  const before = await child.cpuMicros();
  const load = await sendAll(child.port, path, bodies.splice(0, count), CONNECTIONS);
  const after = await child.cpuMicros();
  if (load.refused > 0) throw new Error(`${load.refused} of ${load.answered} logins were refused`);
  return { ...load, perCpuSecond: load.answered / ((after - before) / 1e6) };
}

function posternBodies(cloud: ReturnType<typeof createFakeCloud>, count: number): string[] {
  return Array.from({ length: count }, () => {
    const pkcs7 = cloud.launchInstance({ imageId: IMAGE_ID }).identityDocument().rsa2048.replaceAll('\n', '');
    return JSON.stringify({ role: ROLE, pkcs7 });
  });
}

/** As long as those of Postern, so that both parse as much. */
function ceilingBodies(count: number, length: number): { bodies: string[]; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const signed = Array.from({ length: 200 }, () => {
    const data = randomBytes(Math.max(100, Math.floor((length - 400) * 0.75)));
    return JSON.stringify({
      data: data.toString('base64'),
      signature: sign('sha256', data, privateKey).toString('base64'),
    });
  });
  const bodies = Array.from({ length: count }, (_, index) => signed[index % signed.length] ?? '');
  return { bodies, publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const mebibytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(0)} MiB`;

async function main(isQuick: boolean): Promise<void> {
  const rounds = isQuick ? 3 : 7;
  const perRound = isQuick ? 600 : 2000;
  const warmUp = isQuick ? 400 : 2000;
  const instances = isQuick ? warmUp + rounds * perRound : 20_000;
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'));
  const script = fileURLToPath(import.meta.url);
  const cloud = createFakeCloud({ clock: { now: () => Date.now() } });
  const logins = posternBodies(cloud, instances);
  const bare = ceilingBodies(warmUp + rounds * perRound, logins[0]?.length ?? 0);
  const certificates = cloud.defaultCertificates();
  const input: PosternInput = { folder, imageId: IMAGE_ID, role: ROLE, certificates };
  const ceilingInput: CeilingInput = { folder, publicKey: bare.publicKey };
  const postern: Side = {
    child: await startChild(script, 'postern', input),
    path: '/v1/auth/cloud/login',
    bodies: logins,
  };
  const ceiling: Side = { child: await startChild(script, 'ceiling', ceilingInput), path: '/', bodies: bare.bodies };
  try {
    const idleBytes = await postern.child.rssBytes();
    await measure(postern, warmUp);
    await measure(ceiling, warmUp);
    const pairs: { readonly postern: Measured; readonly ceiling: Measured }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      // Each side goes first in every other round.
      const ceilingFirst = round % 2 === 0 ? await measure(ceiling, perRound) : undefined;
      const ours = await measure(postern, perRound);
      pairs.push({ postern: ours, ceiling: ceilingFirst ?? (await measure(ceiling, perRound)) });
    }
    await measure(postern, postern.bodies.length);
    const fullBytes = await postern.child.rssBytes();
    const rate = (side: 'postern' | 'ceiling') => median(pairs.map((pair) => pair[side].perCpuSecond));
    const ratio = median(pairs.map((pair) => pair.ceiling.perCpuSecond / pair.postern.perCpuSecond));
    console.log(`durable HTTP logins per CPU second: ${rate('postern').toFixed(0)}`);
    console.log(`bare ceiling (node:http, JSON, RSA-2048, one row): ${rate('ceiling').toFixed(0)}`);
    console.log(`ratio ceiling / postern: ${ratio.toFixed(2)} (median of ${rounds} rounds of ${perRound})`);
    const p50 = median(pairs.map((pair) => pair.postern.p50Ms));
    const p99 = median(pairs.map((pair) => pair.postern.p99Ms));
    console.log(`latency at ${CONNECTIONS} connections: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
    console.log(`RSS idle ${mebibytes(idleBytes)}, after ${instances} instances ${mebibytes(fullBytes)}`);
  } finally {
    await postern.child.stop();
    await ceiling.child.stop();
    rmSync(folder, { recursive: true });
  }
}

const [, , part, json = ''] = process.argv;
if (part === 'postern') await runPostern(JSON.parse(json) as PosternInput);
else if (part === 'ceiling') await runCeiling(JSON.parse(json) as CeilingInput);
else await main(process.argv.includes('--quick'));
