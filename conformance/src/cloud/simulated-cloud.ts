/**
 * The cloud that a server under test asks: instances, users, roles and profiles of the run, and an STS that verifies what
 * is signed. Failures are per instance and per principal, so that cases which run at the same time do not meet them.
 */
import {
  createFakeCloud,
  type FakeCloud,
  type FakeCredentials,
  type FakeInstance,
  type FakeSts,
  type LaunchOptions,
  type StsAnswer,
} from '@postern/testkit';
import type { Fault } from '../case-file.js';

/** Instances look launched so long ago: a young one that is missing is looked for again, which takes time. */
const INSTANCE_AGE_MS = 600_000;

type CallerIdentitySource = FakeSts['source'];
type StsRequest = Parameters<CallerIdentitySource['send']>[0];

export interface SimulatedCloud {
  readonly cloud: FakeCloud;
  readonly sts: FakeSts;
  /** By instance id, or ARN of an instance profile: how a lookup of it fails. */
  readonly faults: Map<string, Fault>;
  /** By access key id: what STS answers in place of the truth. */
  readonly stsAnswers: Map<string, StsAnswer>;
  /** Access key ids of the requests that STS got, in order. */
  readonly stsCalls: readonly string[];
  /** Keys of the user that the server acts as, newest last. */
  readonly serverKeys: Map<string, FakeCredentials>;
  /** An instance that was launched a while ago. */
  launch(options?: LaunchOptions): FakeInstance;
  /** A key for the server's client configuration: the present one, or a new one. */
  serverKey(): FakeCredentials;
  newServerKey(): FakeCredentials;
  /** Forgets all but the newest. */
  keepOneServerKey(): void;
  /** STS with its misleading answers. */
  readonly callerIdentity: CallerIdentitySource;
}

export function createSimulatedCloud(): SimulatedCloud {
  let ageMs = 0;
  const cloud = createFakeCloud({ clock: { now: () => Date.now() - ageMs } });
  const { sts } = cloud;
  const user = cloud.createUser({ name: 'server-under-test' });
  const serverKeys = new Map<string, FakeCredentials>();
  const stsAnswers = new Map<string, StsAnswer>();
  const stsCalls: string[] = [];

  const newServerKey = (): FakeCredentials => {
    const credentials = sts.issueAccessKey(user);
    serverKeys.set(credentials.accessKeyId, credentials);
    return credentials;
  };

  return {
    cloud,
    sts,
    faults: new Map(),
    stsAnswers,
    stsCalls,
    launch(options) {
      ageMs = INSTANCE_AGE_MS;
      try {
        return cloud.launchInstance(options);
      } finally {
        ageMs = 0;
      }
    },
    serverKeys,
    newServerKey,
    keepOneServerKey() {
      for (const id of [...serverKeys.keys()].slice(0, -1)) {
        serverKeys.delete(id);
        sts.revokeAccessKey(id);
      }
    },
    serverKey: () => [...serverKeys.values()].at(-1) ?? newServerKey(),
    callerIdentity: {
      async send(request, options) {
        const id = accessKeyIdOf(request) ?? '';
        stsCalls.push(id);
        const instead = stsAnswers.get(id);
        const { status, contentType, body, retryAfterSeconds } = instead ?? (await sts.source.send(request, options));
        const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
        return { status, contentType, body: bytes, retryAfterSeconds };
      },
    },
  };
}

/** The key that a request says it is signed with, in its header or its query. */
export function accessKeyIdOf({ headers, target }: Pick<StsRequest, 'headers' | 'target'>): string | undefined {
  const authorization = headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1] ?? '';
  return (/Credential=([^/,\s]+)\//.exec(authorization) ?? /[?&]X-Amz-Credential=([^&%/]+)/.exec(target))?.[1];
}
