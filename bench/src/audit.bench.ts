/**
 * What the audit trail costs a login. Its own CPU: that of durable logins with events, hash chain and synchronized file, less that of
 * the same logins with an outbox that drops every event. The method builds an event for that one too: what that costs is measured
 * apart, and added. Against the CPU of a login over HTTP, which has all of that in it. In turns in one run.
 *
 * `--quick`: fewer rounds. Exit code 1 above the limit.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import { type AuditOutbox, createAuditOutbox, encodeBase64Url, encodeUtf8 } from '@postern/kernel';
import { systemClock } from '@postern/ports';
import { openAuditFile } from '@postern/server';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { createFakeCloud } from '@postern/testkit';
import { median, report } from './figures.js';
import { startChild } from './logins/child-report.js';
import { measure, type Side } from './logins/in-turns.js';
import { type PosternInput, ROLE, runPostern } from './logins/postern-part.js';

const TARGET = 1.1;
/** A busy machine moves the median by a tenth: this one says that something broke. */
const LIMIT = 1.4;
const IS_QUICK = process.argv.includes('--quick');
const ROUNDS = IS_QUICK ? 3 : 5;
const LOGINS = IS_QUICK ? 2000 : 6000;
const EVENTS = 20_000;
const CONNECTIONS = 64;

const cloud = createFakeCloud({ clock: systemClock });
const documentOf = () => cloud.launchInstance({ imageId: 'ami-1' }).identityDocument().rsa2048;
const crypto = createNodeCrypto();

async function cpuMicrosOf(work: () => Promise<void>): Promise<number> {
  globalThis.gc?.();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

async function openSide(folder: string, name: string, withAudit: boolean) {
  const storage = await openSqliteStorage({ file: join(folder, `${name}.db`) });
  const file = await openAuditFile(join(folder, `${name}.log`));
  const told = createAuditOutbox({ storage, sinks: [file], prefix: 'postern/audit/' });
  const untold: AuditOutbox = {
    ...told,
    record: async () => undefined,
    commit: (operations, _event, options) => storage.commit(operations, options),
  };
  const audit = withAudit ? told : untold;
  const builtInCertificates = cloud.defaultCertificates();
  const method = createAuthMethod({ storage, audit, crypto, cloud }, { builtInCertificates });
  await method.roles.write('bench', { auth_type: 'ec2', bound_ami_id: 'ami-1' });
  const call = { operation: 'login', params: {}, requestId: 'of-the-bench', peerAddress: '127.0.0.1' } as const;
  return {
    /** Microseconds of CPU a login. */
    async loginCost(): Promise<number> {
      const documents = Array.from({ length: LOGINS }, documentOf);
      const micros = await cpuMicrosOf(async () => {
        let next = 0;
        const work = async () => {
          for (let pkcs7 = documents[next++]; pkcs7 !== undefined; pkcs7 = documents[next++]) {
            await method.handle({ ...call, token: undefined, fields: { role: 'bench', pkcs7 } });
          }
        };
        await Promise.all(Array.from({ length: CONNECTIONS }, work));
        await told.feed();
      });
      return micros / LOGINS;
    },
    async close() {
      await told.close();
      await storage.close();
      await file.close();
    },
  };
}

/** Microseconds of CPU for what an event is built of that costs anything: the keyed hashes of a token and a nonce. */
async function eventCost(): Promise<number> {
  const key = crypto.bytes(32);
  const secret = encodeBase64Url(crypto.bytes(40));
  const hash = (domain: string) => encodeBase64Url(crypto.hmac('sha256', key, encodeUtf8(`${domain}\0${secret}`)));
  const micros = await cpuMicrosOf(async () => {
    for (let at = 0; at < EVENTS; at += 1) {
      hash('token');
      hash('nonce');
    }
  });
  return micros / EVENTS;
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-audit-bench-'));
  const without = await openSide(folder, 'without', false);
  const audited = await openSide(folder, 'with', true);
  const input: PosternInput = { folder, imageId: 'ami-1', certificates: cloud.defaultCertificates() };
  const child = await startChild(fileURLToPath(import.meta.url), 'postern', input);
  const body = () => JSON.stringify({ role: ROLE, pkcs7: documentOf().replaceAll('\n', '') });
  const overHttp: Side = {
    child,
    path: '/v1/auth/cloud/login',
    take: (count) => Array.from({ length: count }, body),
  };
  const rounds: { readonly bare: number; readonly full: number; readonly event: number; readonly login: number }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const bareFirst = round % 2 === 0 ? await without.loginCost() : undefined;
    const full = await audited.loginCost();
    const bare = bareFirst ?? (await without.loginCost());
    const event = await eventCost();
    const { cpuMicros: login } = await measure(overHttp, LOGINS, CONNECTIONS);
    // The first warms up.
    if (round > 0) rounds.push({ bare, full, event, login });
  }
  await child.stop();
  for (const side of [without, audited]) await side.close();
  rmSync(folder, { recursive: true });
  const ofAudit = ({ bare, full, event }: (typeof rounds)[number]) => full - (bare - event);
  const micros = (cost: (round: (typeof rounds)[number]) => number) => median(rounds.map(cost)).toFixed(0);
  const ratios = rounds.map((round) => round.login / (round.login - ofAudit(round)));
  console.log(
    `CPU of a login over HTTP ${micros(({ login }) => login)} µs; of its audit ${micros(ofAudit)} µs, of which ${micros(({ event }) => event)} to build the event`,
  );
  report({ name: 'login / login without its audit', ratios, better: 'lower', target: TARGET, limit: LIMIT });
}

const [, , part, json = ''] = process.argv;
if (part === 'postern') await runPostern(JSON.parse(json) as PosternInput);
else await main();
