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
import { startChild } from './logins/child-report.js';
import { measure, measureInTurns, printPairs, type Side } from './logins/in-turns.js';
import { type PosternInput, runPostern } from './logins/postern-part.js';

const IMAGE_ID = 'ami-0123456789abcdef0';
const ROLE = 'bench';
const CONNECTIONS = 64;

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
    await measure(postern, warmUp, CONNECTIONS);
    await measure(ceiling, warmUp, CONNECTIONS);
    const pairs = await measureInTurns(postern, ceiling, { rounds, perRound, connections: CONNECTIONS });
    await measure(postern, postern.bodies.length, CONNECTIONS);
    const fullBytes = await postern.child.rssBytes();
    printPairs(pairs, { logins: 'durable HTTP logins', ceiling: 'node:http, JSON, RSA-2048, one row' });
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
