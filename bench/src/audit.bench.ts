/**
 * What the audit trail costs a login: CPU of the process for durable logins with events, hash chain and synchronized file,
 * against the same logins with an outbox that drops every event. In turns in one run; median of the rounds.
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

const ROUNDS = 9;
const LOGINS = 1500;
const CONNECTIONS = 64;

const folder = mkdtempSync(join(tmpdir(), 'postern-audit-bench-'));
const cloud = createFakeCloud({ clock: systemClock });
const documentOf = () => cloud.launchInstance({ imageId: 'ami-1' }).identityDocument().rsa2048;

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
  const method = createAuthMethod({ storage, audit, crypto: createNodeCrypto(), cloud }, { builtInCertificates });
  await method.roles.write('bench', { auth_type: 'ec2', bound_ami_id: 'ami-1' });
  return {
    /** Microseconds of CPU a login. */
    async round(documents: readonly string[]): Promise<number> {
      const before = process.cpuUsage();
      let next = 0;
      const work = async () => {
        for (let pkcs7 = documents[next++]; pkcs7 !== undefined; pkcs7 = documents[next++]) {
          await method.login({ role: 'bench', pkcs7 });
        }
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, work));
      await told.feed();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / documents.length;
    },
    async close() {
      await told.close();
      await storage.close();
      await file.close();
    },
  };
}

const sides = [await openSide('without', false), await openSide('with', true)] as const;
const ratios: number[] = [];
const costs: [number, number][] = [];
for (let round = 0; round <= ROUNDS; round += 1) {
  const cost: [number, number] = [0, 0];
  for (const at of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
    const documents = Array.from({ length: LOGINS }, documentOf);
    cost[at] = await sides[at].round(documents);
  }
  if (round === 0) continue;
  costs.push(cost);
  ratios.push(cost[1] / cost[0]);
}
for (const side of sides) await side.close();
rmSync(folder, { recursive: true });
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const microseconds = (at: 0 | 1) => median(costs.map((cost) => cost[at])).toFixed(0);
console.log(`CPU a login without audit ${microseconds(0)} µs, with ${microseconds(1)} µs`);
console.log(
  `ratio: median ${median(ratios).toFixed(3)}, least ${Math.min(...ratios).toFixed(3)}, most ${Math.max(...ratios).toFixed(3)}`,
);
