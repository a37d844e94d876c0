/**
 * What the audit trail costs a login: CPU of the process for durable logins with events, hash chain and synchronized file,
 * against the same logins with an outbox that drops every event. The method builds an event for that one too: what that costs
 * is measured apart, and taken off. In turns in one run, each side first in every other round.
 *
 * `--quick`: fewer rounds. Exit code 1 above the limit.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import { type AuditOutbox, createAuditOutbox } from '@postern/kernel';
import { systemClock } from '@postern/ports';
import { openAuditFile } from '@postern/server';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { createFakeCloud } from '@postern/testkit';
import { median, spread } from './logins/in-turns.js';

const TARGET = 1.1;
/** A busy machine moves the median by a tenth: this one says that something broke. */
const LIMIT = 1.4;
const ROUNDS = process.argv.includes('--quick') ? 3 : 5;
const LOGINS = 2000;
const CONNECTIONS = 64;

const folder = mkdtempSync(join(tmpdir(), 'postern-audit-bench-'));
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

async function openSide(name: string, withAudit: boolean) {
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
    /** Microseconds of CPU to build one event, with the keyed hashes of a token and a nonce. */
    async eventCost(): Promise<number> {
      const key = crypto.bytes(32);
      const secret = crypto.bytes(53);
      const refusal = { kind: 'denied', code: 'rate_limited' } as const;
      const micros = await cpuMicrosOf(async () => {
        for (let at = 0; at < LOGINS; at += 1) {
          await method.recordRefusal({ ...call, refusal });
          crypto.hmac('sha256', key, secret);
          crypto.hmac('sha256', key, secret);
        }
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

const without = await openSide('without', false);
const audited = await openSide('with', true);
const rounds: { readonly bare: number; readonly full: number; readonly event: number }[] = [];
for (let round = 0; round <= ROUNDS; round += 1) {
  const bareFirst = round % 2 === 0 ? await without.loginCost() : undefined;
  const full = await audited.loginCost();
  const bare = bareFirst ?? (await without.loginCost());
  const event = await without.eventCost();
  // The first warms up.
  if (round > 0) rounds.push({ bare, full, event });
}
for (const side of [without, audited]) await side.close();
rmSync(folder, { recursive: true });
const micros = (name: 'bare' | 'full' | 'event') => median(rounds.map((round) => round[name])).toFixed(0);
const ratios = rounds.map(({ bare, full, event }) => full / (bare - event));
console.log(
  `CPU a login: without audit ${micros('bare')} µs, of which ${micros('event')} to build an event; with ${micros('full')} µs`,
);
console.log(`ratio with audit / without it or an event: ${spread(ratios)}, target ${TARGET}`);
if (median(ratios) > LIMIT) process.exitCode = 1;
