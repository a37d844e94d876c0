/** A method on one database file and one audit log, as `postern serve` wires them: in the process that dies, and in the one that looks. */
import { type AuthMethod, createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import type { Storage } from '@postern/ports';
import { openAuditFile } from '@postern/server';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { createFakeCloud } from '@postern/testkit';

export interface CrashWorld {
  readonly method: AuthMethod;
  readonly storage: Storage;
  close(): Promise<void>;
}

export async function openCrashWorld(folder: string): Promise<CrashWorld> {
  const storage = await openSqliteStorage({ file: `${folder}/postern.db` });
  const audit = await openAuditFile(`${folder}/audit.log`);
  const clock = { now: () => Date.now() };
  const cloud = createFakeCloud({ clock, seed: 'audit-crash' });
  const method = createAuthMethod({ storage, audit, crypto: createNodeCrypto(), cloud }, { auditNode: 'local' });
  await method.feedAudit();
  return {
    method,
    storage,
    async close() {
      await method.close();
      await storage.close();
      await audit.close();
    },
  };
}
