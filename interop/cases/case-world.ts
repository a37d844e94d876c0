/**
 * Makes what a case is `given`: an auth method behind its HTTP face, a cloud that answers as the case says, and a key
 * whose certificate is registered, with which identity documents are signed.
 */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import { createHttpApp, type HttpApp } from '@postern/http';
import type { InstanceFacts, InstanceQuery, ProfileQuery } from '@postern/ports';
import { ProviderError } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud, createManualClock } from '@postern/testkit';
import type { BlackBoxCase } from './case-file.js';

export const ACCOUNT = '111111111111';
export const REGION = 'us-east-1';

interface GivenInstance {
  readonly state: string;
  readonly imageId: string;
  readonly vpcId: string;
  readonly subnetId: string;
  readonly profile?: string;
  readonly profile_role?: string;
}

export interface CaseWorld {
  /** Sends a request as the operator. */
  send(method: string, path: string, body?: unknown): Promise<{ status: number; json: Record<string, unknown> }>;
  /** The login pair of a document, signed with the registered key. */
  signed(
    document: Readonly<Record<string, string>>,
    digest?: 'sha1' | 'sha256',
  ): { identity: string; signature: string };
  /** Makes sure that the cloud knows a running instance of this id. */
  launch(instanceId: string): void;
  readonly describeCalls: readonly InstanceQuery[];
  /** The certificate of the key that signs documents. */
  readonly certificatePem: string;
}

/** Builds the world of a case; `peer` and accounts as given. */
export async function createCaseWorld(given: BlackBoxCase['given']): Promise<CaseWorld> {
  const clock = createManualClock(Date.parse('2026-11-21T00:00:00Z'));
  const crypto = createNodeCrypto();
  const cloud = createFakeCloud({ clock, seed: 'cases', ownAccountId: ACCOUNT });
  const instances = { ...(given['instances'] as Record<string, GivenInstance> | undefined) };
  const override = (given['instance_override'] ?? {}) as { state?: string; answer_id?: string };
  const own = given['own_account'] ?? ACCOUNT;
  const associated = new Set(Object.keys((given['sts'] ?? {}) as object));
  const describeCalls: InstanceQuery[] = [];

  function admit(accountId: string): void {
    if (accountId !== own && !associated.has(accountId))
      throw new ProviderError('account_not_allowed', 'foreign account');
  }

  const method = createAuthMethod(
    {
      storage: createMemoryStorage(),
      clock,
      crypto,
      audit: { record: () => undefined },
      cloud: {
        describePrincipal: cloud.describePrincipal,
        async describeInstance(query: InstanceQuery): Promise<InstanceFacts | undefined> {
          admit(query.accountId);
          describeCalls.push(query);
          const found = instances[query.instanceId];
          if (found === undefined) return undefined;
          return {
            instanceId: override.answer_id ?? query.instanceId,
            accountId: query.accountId,
            region: query.region,
            state: override.state ?? found.state,
            imageId: found.imageId,
            vpcId: found.vpcId,
            subnetId: found.subnetId,
            instanceProfileArn: found.profile,
            tags: new Map(),
          };
        },
        async rolesOfProfile(query: ProfileQuery): Promise<readonly string[] | undefined> {
          admit(query.accountId);
          const holder = Object.values(instances).find((found) => found.profile === query.instanceProfileArn);
          return holder?.profile_role === undefined ? undefined : [holder.profile_role];
        },
      },
    },
    mountLifetimes(given),
  );
  const app = createHttpApp<{ address: string }>({
    method,
    peerAddress: (_request, info) => info.address,
    health: () => ({ storageReachable: true, version: 'cases', serverTime: clock.now() }),
  });
  const root = await method.createRootToken();
  const send = sender(app, root, typeof given['peer'] === 'string' ? given['peer'] : '127.0.0.1');
  const key = registeredKey();
  const world: CaseWorld = {
    send,
    launch: (instanceId) => {
      instances[instanceId] ??= { state: 'running', imageId: 'ami-1', vpcId: 'vpc-1', subnetId: 'sub-1' };
    },
    describeCalls,
    certificatePem: key.pem,
    signed: (document, digest = 'sha256') => {
      const bytes = Buffer.from(JSON.stringify(document));
      return { identity: bytes.toString('base64'), signature: sign(digest, bytes, key.privateKey).toString('base64') };
    },
  };
  if (given['identity_cert'] === 'registered' || given['accesslist'] !== undefined) {
    await expectOk(send('POST', 'config/certificate/test', { cloud_public_cert: key.pem, type: 'identity' }));
  }
  return world;
}

function mountLifetimes(given: BlackBoxCase['given']): { defaultTtlSeconds?: number; maxTtlSeconds?: number } {
  const max = given['mount_max'] ?? given['mount_max_ttl'];
  const usual = given['mount_default'];
  return {
    ...(typeof max === 'string' ? { maxTtlSeconds: hours(max) } : {}),
    ...(typeof usual === 'string' ? { defaultTtlSeconds: hours(usual) } : {}),
  };
}

function hours(text: string): number {
  return Number.parseInt(text, 10) * 3600;
}

function sender(app: HttpApp<{ address: string }>, token: string, address: string): CaseWorld['send'] {
  return async (method, path, body) => {
    const response = await app.fetch(
      new Request(`http://postern.test/v1/auth/cloud/${path}`, {
        method,
        headers: path === 'login' ? {} : { 'X-Service-Token': token },
        ...(body === undefined || method === 'GET' || method === 'LIST' ? {} : { body: JSON.stringify(body) }),
      }),
      { address },
    );
    const text = await response.text();
    return { status: response.status, json: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
  };
}

/** Resolves to the answer, or throws with it where a preparation was refused. */
export async function expectOk(answer: ReturnType<CaseWorld['send']>): ReturnType<CaseWorld['send']> {
  const { status, json } = await answer;
  if (status >= 300) throw new Error(`preparation refused: ${status} ${JSON.stringify(json)}`);
  return { status, json };
}

let cached: { privateKey: KeyObject; pem: string } | undefined;

/** One key for all cases: making one takes longer than a case. */
function registeredKey(): { privateKey: KeyObject; pem: string } {
  cached ??= makeKey();
  return cached;
}

function makeKey(): { privateKey: KeyObject; pem: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { privateKey, pem: selfSigned(privateKey, publicKey) };
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const length =
    body.length < 128
      ? [body.length]
      : body.length < 256
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

/** The least certificate that X.509 allows, around a key. */
function selfSigned(privateKey: KeyObject, publicKey: KeyObject): string {
  const algorithm = der(0x30, Buffer.from('06092a864886f70d01010b0500', 'hex'));
  const name = der(0x30, der(0x31, der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from('cases')))));
  const validity = der(0x30, der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('490101000000Z')));
  const tbs = der(
    0x30,
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const whole = der(0x30, tbs, algorithm, der(0x03, Buffer.from([0]), sign('sha256', tbs, privateKey)));
  return `-----BEGIN CERTIFICATE-----\n${whole.toString('base64').replace(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`;
}
