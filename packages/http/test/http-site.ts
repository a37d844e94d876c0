/** The HTTP application over the real method and a fake cloud: what a client of either wire profile meets (WIRE-2). */
import { type AuthOptions, createAuthMethod } from '@postern/core-auth';
import { createHttpApp, type HttpAppOptions, type ProfileName, WIRE_PROFILES } from '@postern/http';
import type { RateOptions } from '@postern/http/auth';
import type { AccessKeys, AuditEvent } from '@postern/ports';
import { createFakeCloud, createManualClock } from '@postern/testkit';
import { type CheckAnswer, createAnswerCheck } from './check-answer.js';
import { memoryPorts } from './memory-ports.js';

export const START = Date.UTC(2026, 10, 21, 9);
export const IMAGE_ID = 'ami-1';
export const ROOT_KEY = 'AKIAOLDOLDOLDOLDOLD1';
export const NEXT_ROOT_KEY = 'AKIANEWNEWNEWNEWNEW1';

/** Names of the `vault` profile, written out: the application must not be its own witness. */
const VAULT_NAMES: Readonly<Record<string, string>> = {
  cloud_public_cert: 'aws_public_cert',
  resolve_cloud_unique_ids: 'resolve_aws_unique_ids',
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed; undefined where nothing was sent. */
  readonly body: Record<string, unknown> | undefined;
}

export interface Sent {
  /** An object is sent as JSON, text as it stands. */
  readonly body?: object | string | undefined;
  /** Default: the root token; empty for none. */
  readonly token?: string;
}

export type SiteOptions = Partial<
  Pick<HttpAppOptions<undefined>, keyof RateOptions | 'bodyLimitBytes' | 'readBody'>
> & {
  readonly auth?: AuthOptions;
};

export type HttpSite = Awaited<ReturnType<typeof openHttpSite>>;

/** One document a profile: it tells nothing of what is stored. */
const checks = new Map<ProfileName, Promise<CheckAnswer>>();

export async function openHttpSite(profile: ProfileName, { auth, ...http }: SiteOptions = {}) {
  const clock = createManualClock(START);
  const cloud = createFakeCloud({ clock, seed: `site ${profile}` });
  const { sts } = cloud;
  const keyIds = [ROOT_KEY];
  const audited: AuditEvent[] = [];
  const { tokenHeader, defaultMountPath } = WIRE_PROFILES[profile];
  const method = createAuthMethod(
    {
      ...memoryPorts(cloud, clock),
      cloud: { ...cloud, accessKeys: accessKeysOf(keyIds) },
      audit: {
        record: (event) => {
          audited.push(event);
        },
      },
    },
    {
      builtInCertificates: cloud.defaultCertificates(),
      mountPath: defaultMountPath,
      ...auth,
    },
  );
  let peer = '192.0.2.1';
  const app = createHttpApp<undefined>({
    method,
    profile,
    clock,
    peerAddress: () => peer,
    health: () => ({ storageReachable: true, version: '0.1.0', serverTime: clock.now() }),
    ...http,
  });
  const root = await method.createRootToken();
  const check = checks.get(profile) ?? createAnswerCheck(app);
  checks.set(profile, check);

  /** @param path below `/v1/`. Every answer is held against the OpenAPI document. */
  async function send(verb: string, path: string, { body, token = root }: Sent = {}): Promise<Answer> {
    const request = new Request(`http://postern.test/v1/${path}`, {
      method: verb,
      headers: token === '' ? {} : { [tokenHeader]: token },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const response = await app.fetch(request, undefined);
    await (await check)(verb, request.url, response);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  }

  return {
    profile,
    clock,
    cloud,
    sts,
    method,
    root,
    audited,
    /** Of the root user at the provider. */
    keyIds,
    send,
    /** Below the mount, with the root token. */
    ask: (verb: string, path: string, body?: object) => send(verb, `${defaultMountPath}/${path}`, { body }),
    mount: (path: string) => `${defaultMountPath}/${path.replace(/^\//, '')}`,
    /** Members by the names of the profile. */
    named: <T extends object>(members: T): T => {
      if (profile === 'neutral') return members;
      // Only names change: the members keep their types.
      return Object.fromEntries(
        Object.entries(members).map(([name, value]) => [VAULT_NAMES[name] ?? name, value]),
      ) as T;
    },
    fetch: (request: Request) => app.fetch(request, undefined),
    setPeer: (address: string) => {
      peer = address;
    },
    /** The proof of an instance, a new one unless told. */
    proof: (instance = cloud.launchInstance({ imageId: IMAGE_ID })) => ({
      pkcs7: instance.identityDocument().rsa2048.replaceAll('\n', ''),
    }),
  };
}

function accessKeysOf(ids: string[]): AccessKeys {
  return {
    list: async () => [...ids],
    create: async () => {
      if (ids.length > 1) return undefined;
      ids.push(NEXT_ROOT_KEY);
      return { accessKeyId: NEXT_ROOT_KEY, secretAccessKey: 'canary-new-secret' };
    },
    prove: async () => true,
    delete: async (_pair, id) => {
      ids.splice(ids.indexOf(id), 1);
    },
  };
}
