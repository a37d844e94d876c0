/**
 * The cloud that a server under test asks: instances, users, roles and profiles of the run, and an STS that verifies what
 * is signed. Failures are per instance and per principal, so that cases which run at the same time do not meet them.
 */
import { createFakeCloud, type FakeCloud, type FakeCredentials, type FakeSts, type StsAnswer } from '@postern/testkit';
import type { Fault } from '../case-file.js';

/** Instances look launched so long ago: a young one that is missing is looked for again, which takes time. */
const INSTANCE_AGE_MS = 600_000;

type CallerIdentitySource = FakeSts['source'];
type StsRequest = Parameters<CallerIdentitySource['send']>[0];

export interface SimulatedCloud {
  readonly cloud: FakeCloud;
  readonly sts: FakeSts;
  /** By instance id. */
  readonly faults: Map<string, Fault>;
  /** By access key id: what STS answers in place of the truth. */
  readonly stsAnswers: Map<string, StsAnswer>;
  /** Keys of the user that the server acts as, newest last. */
  readonly serverKeys: Map<string, FakeCredentials>;
  /** A key for the server's client configuration: the present one, or a new one. */
  serverKey(): FakeCredentials;
  newServerKey(): FakeCredentials;
  /** STS with its misleading answers. */
  readonly callerIdentity: CallerIdentitySource;
}

export function createSimulatedCloud(): SimulatedCloud {
  const cloud = createFakeCloud({ clock: { now: () => Date.now() - INSTANCE_AGE_MS } });
  const { sts } = cloud;
  const user = cloud.createUser({ name: 'server-under-test' });
  const serverKeys = new Map<string, FakeCredentials>();
  const stsAnswers = new Map<string, StsAnswer>();

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
    serverKeys,
    newServerKey,
    serverKey: () => [...serverKeys.values()].at(-1) ?? newServerKey(),
    callerIdentity: {
      async send(request, options) {
        const instead = stsAnswers.get(accessKeyIdOf(request) ?? '');
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
