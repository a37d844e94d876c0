/**
 * A server like the one that `postern serve` runs, whose surroundings can turn on it: each trouble throws an error that
 * spells out every secret there is, as a driver does that quotes its parameters.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccessKeys, type CallOptions, type KeyWrapper, ProviderError, type Storage } from '@postern/ports';
import { createLog, createServer, openAuditFile, type PosternServer } from '@postern/server';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud, type FakeCloud, type FakeSts } from '@postern/testkit';
import {
  createPlantedSecrets,
  guardCalls,
  type PlantedSecrets,
  STORAGE_TROUBLES,
  spilledError,
  storageTrouble,
  troubledStorage,
} from './troubled.js';

export const TROUBLES = [
  'none',
  ...STORAGE_TROUBLES,
  'provider throws',
  'provider unavailable',
  'provider denied',
  'audit throws',
  'authorizer throws',
] as const;
export type Trouble = (typeof TROUBLES)[number];

export interface CanaryWorld extends PlantedSecrets {
  readonly server: PosternServer;
  readonly storage: Storage;
  readonly cloud: FakeCloud;
  readonly sts: FakeSts;
  readonly root: string;
  trouble(next: Trouble): void;
  /** How often trouble struck. */
  readonly struck: () => number;
  readonly logLines: readonly string[];
  readonly auditText: () => string;
  close(): Promise<void>;
}

export const OLD_KEY_ID = 'AKIAOLDOLDOLDOLDOLD1';

/** @param on storage and key wrapper, closed by who made them. Default: memory, unsealed. */
export async function createCanaryWorld(
  on: { readonly storage?: Storage; readonly keyWrapper?: KeyWrapper } = {},
): Promise<CanaryWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-canaries-'));
  const clock = { now: () => Date.now() };
  const cloud = createFakeCloud({ clock });
  const { sts } = cloud;
  const memory = on.storage ?? createMemoryStorage();
  const planted = createPlantedSecrets();
  const { secret } = planted;
  const logLines: string[] = [];
  let trouble: Trouble = 'none';
  let struck = 0;

  const strike = (...troubles: readonly Trouble[]) => {
    if (!troubles.includes(trouble)) return;
    struck += 1;
    const spilled = planted.spill();
    if (trouble === 'provider unavailable') throw new ProviderError('unavailable', spilled, { retryAfterSeconds: 1 });
    if (trouble === 'provider denied') throw new ProviderError('denied', spilled);
    throw storageTrouble(trouble, spilled) ?? spilledError(spilled);
  };
  const guarded = guardCalls(strike);
  const storage = troubledStorage(memory, strike);
  const provider = ['provider throws', 'provider unavailable', 'provider denied'] as const;
  const keys = accessKeys(secret);
  const auditFile = join(folder, 'audit.log');
  const audit = await openAuditFile(auditFile);
  const server = await createServer({
    storage,
    provider: {
      describeInstance: guarded(cloud.describeInstance, ...provider),
      rolesOfProfile: guarded(cloud.rolesOfProfile, ...provider),
      describePrincipal: guarded(cloud.describePrincipal, ...provider),
      callerIdentity: { send: guarded(sts.source.send.bind(sts.source), ...provider) },
      accessKeys: {
        create: guarded(keys.create, ...provider),
        prove: guarded(keys.prove, ...provider),
        list: guarded(keys.list, ...provider),
        delete: guarded(keys.delete, ...provider),
      },
      builtInCertificates: cloud.defaultCertificates(),
    },
    ...(on.keyWrapper === undefined ? {} : { keyWrapper: on.keyWrapper }),
    audit: { record: guarded((event) => audit.record(event), 'audit throws') },
    authorizer: { isAllowed: guarded(() => false, 'authorizer throws') },
    bodyLimitBytes: 64 * 1024,
    log: createLog((line) => logLines.push(line), 'json', Date.now),
  });
  const root = secret('token root', await server.method.createRootToken());
  return {
    server,
    storage: memory,
    cloud,
    sts,
    root,
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

/** One user with one key at a time; every secret of it is planted when it is made. */
function accessKeys(secret: CanaryWorld['secret']): AccessKeys {
  const ids = new Set([OLD_KEY_ID]);
  let made = 0;
  return {
    list: async () => [...ids],
    create: async () => {
      if (ids.size > 1) return undefined;
      made += 1;
      const accessKeyId = `AKIANEWNEWNEWNEWNEW${made}`;
      ids.add(accessKeyId);
      return {
        accessKeyId,
        secretAccessKey: secret(`key of rotation ${made}`, `canary-rotated/key+${made}/0123456789`),
      };
    },
    prove: async (_pair: unknown, _options?: CallOptions) => true,
    delete: async (_current, id) => {
      ids.delete(id);
    },
  };
}
