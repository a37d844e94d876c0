/**
 * A server like the one that `postern serve` runs, whose surroundings can turn on it: each trouble throws an error that
 * spells out every secret there is, as a driver does that quotes its parameters.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccessKeys, type CallOptions, ProviderError, type Storage, StorageError } from '@postern/ports';
import { createLog, createServer, openAuditFile, type PosternServer } from '@postern/server';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud, createFakeSts, type FakeCloud, type FakeSts } from '@postern/testkit';
import { type Planted, plant } from './planted.js';

export const TROUBLES = [
  'none',
  'reads throw',
  'commits throw',
  'commits unavailable',
  'commits unknown',
  'provider throws',
  'provider unavailable',
  'provider denied',
  'audit throws',
  'authorizer throws',
] as const;
export type Trouble = (typeof TROUBLES)[number];

export interface CanaryWorld {
  readonly server: PosternServer;
  readonly storage: Storage;
  readonly cloud: FakeCloud;
  readonly sts: FakeSts;
  readonly root: string;
  /** Every secret so far, by name. */
  readonly secrets: ReadonlyMap<string, Planted>;
  /** Plants a secret that is a text. The same name again replaces it. */
  secret(name: string, text: string): string;
  add(planted: Planted): void;
  trouble(next: Trouble): void;
  /** How often trouble struck. */
  readonly struck: () => number;
  readonly logLines: readonly string[];
  readonly auditText: () => string;
  close(): Promise<void>;
}

export const OLD_KEY_ID = 'AKIAOLDOLDOLDOLDOLD1';

export async function createCanaryWorld(): Promise<CanaryWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-canaries-'));
  const clock = { now: () => Date.now() };
  const cloud = createFakeCloud({ clock });
  const sts = createFakeSts({ cloud, clock });
  const memory = createMemoryStorage();
  const secrets = new Map<string, Planted>();
  const texts = new Map<string, string>();
  const logLines: string[] = [];
  let trouble: Trouble = 'none';
  let struck = 0;

  const secret = (name: string, text: string): string => {
    texts.set(name, text);
    secrets.set(name, plant(name, text));
    return text;
  };
  // The latest ones: those of the call that fails are among them, and megabytes in each error would only cost time.
  const spill = () =>
    [...[...texts].slice(0, 4), ...[...texts].slice(-24)].map(([name, text]) => `${name}=${text}`).join(' ');
  const strike = (...troubles: readonly Trouble[]) => {
    if (!troubles.includes(trouble)) return;
    struck += 1;
    if (trouble === 'commits unavailable') throw new StorageError('unavailable', spill());
    if (trouble === 'commits unknown') throw new StorageError('outcome_unknown', spill());
    if (trouble === 'provider unavailable') throw new ProviderError('unavailable', spill(), { retryAfterSeconds: 1 });
    if (trouble === 'provider denied') throw new ProviderError('denied', spill());
    throw Object.assign(new Error(spill()), { parameters: spill(), cause: new Error(spill()) });
  };
  const guarded = <Args extends readonly unknown[], T>(inner: (...args: Args) => T | Promise<T>, ...by: Trouble[]) => {
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
    commit: guarded(memory.commit.bind(memory), 'commits throw', 'commits unavailable', 'commits unknown'),
    close: () => memory.close(),
  };
  const provider = ['provider throws', 'provider unavailable', 'provider denied'] as const;
  const keys = accessKeys(secret);
  const auditFile = join(folder, 'audit.log');
  const audit = await openAuditFile(auditFile);
  const server = await createServer({
    storage,
    provider: {
      instances: { describeInstance: guarded(cloud.instanceDirectory.describeInstance, ...provider) },
      profiles: { rolesOfProfile: guarded(cloud.profileDirectory.rolesOfProfile, ...provider) },
      principals: { describePrincipal: guarded(cloud.principalDirectory.describePrincipal, ...provider) },
      callerIdentity: { send: guarded(sts.source.send.bind(sts.source), ...provider) },
      accessKeys: {
        create: guarded(keys.create, ...provider),
        prove: guarded(keys.prove, ...provider),
        list: guarded(keys.list, ...provider),
        delete: guarded(keys.delete, ...provider),
      },
      builtInCertificates: cloud.defaultCertificates(),
    },
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
    secrets,
    secret,
    add: (planted) => secrets.set(planted.name, planted),
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
