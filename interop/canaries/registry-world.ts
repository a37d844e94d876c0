/** A server with a registry, every secret of it planted, on a storage whose failures spell those secrets out. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Storage } from '@postern/ports';
import { createLog, createServer, hostedRegistry, openAuditFile, type PosternServer } from '@postern/server';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud } from '@postern/testkit';
import { plantBytes } from './planted.js';
import {
  createPlantedSecrets,
  type PlantedSecrets,
  type StorageTrouble,
  storageTrouble,
  troubledStorage,
} from './troubled.js';

export interface RegistryWorld extends PlantedSecrets {
  readonly server: PosternServer;
  readonly storage: Storage;
  trouble(next: StorageTrouble | 'none'): void;
  readonly struck: () => number;
  readonly logLines: readonly string[];
  readonly auditText: () => string;
  close(): Promise<void>;
}

export async function createRegistryWorld(): Promise<RegistryWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-canaries-'));
  const memory = createMemoryStorage();
  const planted = createPlantedSecrets();
  const logLines: string[] = [];
  let trouble: StorageTrouble | 'none' = 'none';
  let struck = 0;

  const storage = troubledStorage(memory, (...troubles) => {
    if (trouble === 'none' || !troubles.includes(trouble)) return;
    struck += 1;
    throw storageTrouble(trouble, planted.spill());
  });
  const cloud = createFakeCloud({ clock: { now: () => Date.now() } });
  const auditFile = join(folder, 'audit.log');
  const audit = await openAuditFile(auditFile);
  const server = await createServer({
    storage,
    provider: {
      ...cloud,
      builtInCertificates: cloud.defaultCertificates(),
    },
    audit,
    registry: hostedRegistry({ storage, audit, archives: join(folder, 'archives'), isAlone: true, rate: false }),
    log: createLog((line) => logLines.push(line), 'json', Date.now),
  });
  for (const [name, text] of Object.entries(await storedKeys(memory))) {
    planted.secret(`${name}, as it is stored`, text);
    planted.add(plantBytes(name, Buffer.from(text, 'base64url')));
  }
  return {
    server,
    storage: memory,
    ...planted,
    trouble: (next) => {
      trouble = next;
    },
    struck: () => struck,
    logLines,
    auditText: () => readFileSync(auditFile, 'utf8'),
    async close() {
      trouble = 'none';
      await server.close(500);
      await audit.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Where the server keeps what signs addresses and seals sessions. */
export const KEYS_AT = 'postern/server/registry-keys';

/** The members that are secret, without the record's format. */
async function storedKeys(storage: Storage): Promise<{ readonly urlKey: string; readonly sessionKey: string }> {
  const record = await storage.get(KEYS_AT);
  const { urlKey, sessionKey } = JSON.parse(record?.value ?? '{}') as { urlKey: string; sessionKey: string };
  return { urlKey, sessionKey };
}
