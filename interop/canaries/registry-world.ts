/** A server with a registry, every secret of it planted, on a storage whose failures spell those secrets out. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Storage, StorageError } from '@postern/ports';
import { createLog, createServer, hostedRegistry, openAuditFile, type PosternServer } from '@postern/server';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud } from '@postern/testkit';
import { type Planted, plant, plantBytes } from './planted.js';

export const STORAGE_TROUBLES = ['none', 'reads throw', 'commits throw', 'commits unavailable'] as const;
export type StorageTrouble = (typeof STORAGE_TROUBLES)[number];

export interface RegistryWorld {
  readonly server: PosternServer;
  readonly storage: Storage;
  readonly secrets: ReadonlyMap<string, Planted>;
  /** Plants a secret that is a text. */
  secret(name: string, text: string): string;
  trouble(next: StorageTrouble): void;
  readonly struck: () => number;
  readonly logLines: readonly string[];
  readonly auditText: () => string;
  close(): Promise<void>;
}

export async function createRegistryWorld(): Promise<RegistryWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-canaries-'));
  const memory = createMemoryStorage();
  const secrets = new Map<string, Planted>();
  const texts = new Map<string, string>();
  const logLines: string[] = [];
  let trouble: StorageTrouble = 'none';
  let struck = 0;

  const secret = (name: string, text: string): string => {
    texts.set(name, text);
    secrets.set(name, plant(name, text));
    return text;
  };
  const strike = (...troubles: readonly StorageTrouble[]) => {
    if (!troubles.includes(trouble)) return;
    struck += 1;
    const spilled = [...texts].map(([name, text]) => `${name}=${text}`).join(' ');
    if (trouble === 'commits unavailable') throw new StorageError('unavailable', spilled);
    throw Object.assign(new Error(spilled), { parameters: spilled, cause: new Error(spilled) });
  };
  const guarded = <Args extends readonly unknown[], T>(
    inner: (...args: Args) => Promise<T>,
    ...by: StorageTrouble[]
  ) => {
    return async (...args: Args): Promise<T> => {
      strike(...by);
      return inner(...args);
    };
  };
  const storage: Storage = {
    get: guarded(memory.get.bind(memory), 'reads throw'),
    getMany: guarded(memory.getMany.bind(memory), 'reads throw'),
    list: guarded(memory.list.bind(memory), 'reads throw'),
    listExpired: guarded(memory.listExpired.bind(memory), 'reads throw'),
    commit: guarded(memory.commit.bind(memory), 'commits throw', 'commits unavailable'),
    close: () => memory.close(),
  };
  const cloud = createFakeCloud({ clock: { now: () => Date.now() } });
  const auditFile = join(folder, 'audit.log');
  const audit = await openAuditFile(auditFile);
  const server = await createServer({
    storage,
    provider: {
      instances: cloud.instanceDirectory,
      profiles: cloud.profileDirectory,
      principals: cloud.principalDirectory,
      builtInCertificates: cloud.defaultCertificates(),
    },
    audit,
    registry: hostedRegistry({ storage, audit, archives: join(folder, 'archives'), isAlone: true, rate: false }),
    log: createLog((line) => logLines.push(line), 'json', Date.now),
  });
  for (const [name, text] of Object.entries(await storedKeys(memory))) {
    secret(`${name}, as it is stored`, text);
    secrets.set(name, plantBytes(name, Buffer.from(text, 'base64url')));
  }
  return {
    server,
    storage: memory,
    secrets,
    secret,
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

async function storedKeys(storage: Storage): Promise<Readonly<Record<string, string>>> {
  const record = await storage.get(KEYS_AT);
  return JSON.parse(record?.value ?? '{}') as Record<string, string>;
}
