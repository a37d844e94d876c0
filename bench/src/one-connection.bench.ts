/**
 * One client at a time: what a durable `ec2` login costs and how long it takes when nothing is shared with others, its look at the
 * cloud included, against a bare server that asks the same cloud over undici, in turns. The cloud is a process of its own on
 * loopback, and so are both servers.
 *
 * `--quick`: fewer logins. Exit code 1 when a login is refused.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFakeCloud } from '@postern/testkit';
import { ceilingBodies } from './logins/ceiling-bodies.js';
import { type ServerChild, startChild } from './logins/child-report.js';
import { measureInTurns, reportAgainstCeiling, type Side } from './logins/in-turns.js';
import { ROLE } from './logins/postern-part.js';
import { type CeilingOnCloudInput, runCeilingOnCloud } from './one-connection/ceiling-part.js';
import { type CloudInput, runCloud } from './one-connection/cloud-part.js';
import { type PosternOnCloudInput, runPosternOnCloud } from './one-connection/postern-part.js';

const IMAGE_ID = 'ami-0123456789abcdef0';

async function main(isQuick: boolean): Promise<void> {
  const turns = { rounds: isQuick ? 3 : 5, perRound: isQuick ? 200 : 1000, connections: 1 };
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'));
  const script = fileURLToPath(import.meta.url);
  const fake = createFakeCloud({ clock: { now: () => Date.now() } });
  const take = (count: number) =>
    Array.from({ length: count }, () => {
      const document = fake.launchInstance({ imageId: IMAGE_ID }).identityDocument();
      return JSON.stringify({ role: ROLE, pkcs7: document.rsa2048.replaceAll('\n', '') });
    });
  const children: ServerChild[] = [];
  const start = async (part: string, input: CloudInput | PosternOnCloudInput | CeilingOnCloudInput) => {
    const child = await startChild(script, part, input);
    children.push(child);
    return child;
  };
  try {
    const cloud = await start('cloud', { accountId: fake.ownAccountId, imageId: IMAGE_ID });
    const cloudUrl = `http://127.0.0.1:${cloud.port}`;
    const bare = ceilingBodies(take(1)[0]?.length ?? 0);
    const certificates = fake.defaultCertificates();
    const postern: Side = {
      child: await start('postern', { folder, imageId: IMAGE_ID, certificates, cloudUrl }),
      path: '/v1/auth/cloud/login',
      take,
    };
    const ceiling: Side = {
      child: await start('ceiling', { folder, publicKey: bare.publicKey, cloudUrl }),
      path: '/',
      take: bare.take,
    };
    console.log(
      `ceiling: node:http, JSON, RSA-2048, undici to EC2, one row; ${turns.rounds} rounds of ${turns.perRound}`,
    );
    const [ours = [], least = []] = await measureInTurns([postern, ceiling], turns);
    reportAgainstCeiling('ec2 login with the cloud, one connection', ours, least, 3);
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    rmSync(folder, { recursive: true });
  }
}

const [, , part, json = ''] = process.argv;
if (part === 'cloud') runCloud(JSON.parse(json) as CloudInput);
else if (part === 'postern') await runPosternOnCloud(JSON.parse(json) as PosternOnCloudInput);
else if (part === 'ceiling') await runCeilingOnCloud(JSON.parse(json) as CeilingOnCloudInput);
else await main(process.argv.includes('--quick'));
