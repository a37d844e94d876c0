/**
 * A Security Token Service for tests, the sandbox and embedders: issues credentials for the principals of a fake cloud,
 * really verifies what is signed with them, keeps a log of every call, and misbehaves on demand.
 */
import { type CallerIdentityAnswer, type CallerIdentitySource, ProviderError } from '@postern/ports';
import { partitionOf, seededRandom, systemRandom } from '../fake-cloud/ids.js';
import { abortableSleep } from '../fake-cloud/sleep.js';
import { headerValues, type WireRequest } from '../sigv4/wire-request.js';
import { handleStsRequest } from './actions.js';
import { credentialRegister } from './credentials.js';
import type { FakeSts, FakeStsCall, FakeStsOptions } from './fake-sts-types.js';
import { signGetCallerIdentity } from './sign-get-caller-identity.js';
import type { StsAnswer } from './sts-answer.js';
import { governSts } from './sts-behaviour.js';
import { stsIds } from './sts-ids.js';
import { type Delivery, listenAsSts } from './sts-server.js';

const MAX_ANSWER_BYTES = 65_536;

/**
 * Makes an STS that knows the users and roles of a cloud.
 *
 * @example
 * const { sts } = createFakeCloud({ clock }); // every fake cloud has one
 * const credentials = sts.assumeRole(cloud.createRole({ name: 'deploy' }), { sessionName: 'build-17' });
 * const fields = sts.signLogin({ credentials, serverId: 'postern.example.org' });
 * // Log in with the fields, then look at sts.calls.
 */
export function createFakeSts(options: FakeStsOptions): FakeSts {
  const { cloud, clock, sleep = abortableSleep } = options;
  const ids = stsIds(options.random ?? (options.seed === undefined ? systemRandom : seededRandom(options.seed)));
  const { region, ownAccountId } = cloud;
  const register = credentialRegister({ clock, ids, partition: partitionOf(region), ownAccountId });
  const behaviour = governSts(ids.requestId);
  const calls: FakeStsCall[] = [];

  const deliver = async (
    face: FakeStsCall['face'],
    request: WireRequest,
    endpoint: string,
    signal: AbortSignal | undefined,
  ): Promise<Delivery> => {
    const plan = behaviour.next();
    const handled = handleStsRequest(request, { clock, cloud, register, ids });
    calls.push(logged(face, request, endpoint, clock.now(), handled.action, plan.outcome ?? handled.code));
    if (plan.lagMilliseconds > 0) await sleep(plan.lagMilliseconds, signal);
    const how = plan.outcome === 'hung' ? 'hang' : plan.outcome === 'cut' ? 'cut' : 'whole';
    return { how, answer: plan.answer ?? handled.answer };
  };

  const source: CallerIdentitySource = {
    async send({ endpoint, method, target, headers, body }, { signal } = {}) {
      if (signal?.aborted === true) throw gaveUp(signal);
      const request = { method, target, headers, body };
      const answering = deliver('source', request, endpoint, signal);
      const { how, answer } = await orGiveUp(answering, signal);
      if (how === 'hang') return orGiveUp(new Promise<never>(() => {}), signal);
      if (how === 'cut') throw new ProviderError('unavailable', 'the fake STS closed the connection');
      return portAnswer(answer);
    },
  };

  return {
    issueAccessKey: register.issueAccessKey,
    revokeAccessKey: register.revokeAccessKey,
    setTrust: register.setTrust,
    assumeRole: register.assumeRole,
    instanceCredentials: register.instanceCredentials,
    issueSessionToken: register.issueSessionToken,
    issueFederatedUser: register.issueFederatedUser,
    issueRootKey: register.issueRootKey,
    source,
    listen: () => listenAsSts((request, endpoint, signal) => deliver('http', request, endpoint, signal)),
    behaviour,
    calls,
    clearCalls: () => calls.splice(0),
    signLogin: (login) => signGetCallerIdentity({ date: clock.now(), ...login }),
  };
}

function logged(
  face: FakeStsCall['face'],
  request: WireRequest,
  endpoint: string,
  at: number,
  action: string | undefined,
  outcome: FakeStsCall['outcome'],
): FakeStsCall {
  const hosts = headerValues(request.headers, 'host');
  return {
    at,
    face,
    endpoint,
    host: hosts.length === 0 ? undefined : hosts.join(','),
    method: request.method,
    target: request.target,
    headerNames: request.headers.map(([name]) => name),
    action,
    outcome,
    request: () => request,
  };
}

function portAnswer({ status, contentType, body, retryAfterSeconds }: StsAnswer): CallerIdentityAnswer {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  if (bytes.length > MAX_ANSWER_BYTES) throw new ProviderError('unavailable', 'the answer is too long');
  return { status, contentType, body: bytes, retryAfterSeconds };
}

function gaveUp(signal: AbortSignal): ProviderError {
  return new ProviderError('unavailable', 'the caller gave up waiting', { cause: signal.reason });
}

/** Waits for a promise, or until the signal fires. */
async function orGiveUp<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  let giveUp = (): void => {};
  const abortion = new Promise<never>((_, reject) => {
    giveUp = () => reject(gaveUp(signal));
    signal.addEventListener('abort', giveUp, { once: true });
  });
  try {
    return await Promise.race([promise, abortion]);
  } catch (error) {
    throw signal.aborted ? gaveUp(signal) : error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
