/**
 * What durable `iam` logins over HTTP cost the server, in CPU, against the bare ceiling in the same run and in turns. The load
 * comes from this process; both servers, and the STS that both ask, are others.
 *
 * `--quick`: fewer logins. Exit code 1 when a login is refused.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type StsIdentity, signGetCallerIdentity } from '@postern/testkit';
import { type IamCeilingInput, runIamCeiling } from './iam-logins/ceiling-part.js';
import { type IamPosternInput, runIamPostern } from './iam-logins/postern-part.js';
import { runSts } from './iam-logins/sts-part.js';
import { type ServerChild, startChild } from './logins/child-report.js';
import { measureInTurns, reportAgainstCeiling, type Side } from './logins/in-turns.js';

const ROLE = 'bench';
const CONNECTIONS = 64;
const CALLER: StsIdentity = {
  accountId: '111122223333',
  arn: 'arn:aws:iam::111122223333:user/bench',
  userId: 'AIDABENCHBENCHBENCHB',
};

let signed = 0;

/** Each signed with a key of its own, so that no two logins are alike. */
function signedBodies(count: number): string[] {
  const date = Date.now();
  return Array.from({ length: count }, () => {
    signed += 1;
    const credentials = { accessKeyId: `AKIA${String(signed).padStart(16, '0')}`, secretAccessKey: 'of the benchmark' };
    return JSON.stringify({ role: ROLE, ...signGetCallerIdentity({ credentials, date }) });
  });
}

async function main(isQuick: boolean): Promise<void> {
  const turns = { rounds: isQuick ? 3 : 5, perRound: isQuick ? 600 : 2000, connections: CONNECTIONS };
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'));
  const script = fileURLToPath(import.meta.url);
  const children: ServerChild[] = [];
  const start = async (part: string, input: IamPosternInput | IamCeilingInput | StsIdentity) => {
    const child = await startChild(script, part, input);
    children.push(child);
    return child;
  };
  try {
    const stsUrl = `http://127.0.0.1:${(await start('sts', CALLER)).port}`;
    const input: IamPosternInput = { folder, stsUrl, role: ROLE, principalArn: CALLER.arn };
    const postern: Side = { child: await start('postern', input), path: '/v1/auth/cloud/login', take: signedBodies };
    const ceiling: Side = { child: await start('ceiling', { folder, stsUrl }), path: '/', take: signedBodies };
    console.log(`ceiling: node:http, JSON, undici to STS, one row; ${turns.rounds} rounds of ${turns.perRound}`);
    const [ours = [], least = []] = await measureInTurns([postern, ceiling], turns);
    reportAgainstCeiling('iam login', ours, least, 2.5);
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    rmSync(folder, { recursive: true });
  }
}

const [, , part, json = ''] = process.argv;
if (part === 'postern') await runIamPostern(JSON.parse(json) as IamPosternInput);
else if (part === 'ceiling') await runIamCeiling(JSON.parse(json) as IamCeilingInput);
else if (part === 'sts') runSts(JSON.parse(json) as StsIdentity);
else await main(process.argv.includes('--quick'));
