/** The client: each call says what is sent and what comes back; bounds, retries and errors are the same for all. */
import { collectInstanceEvidence, type InstanceEvidence } from '../evidence/instance-evidence.js';
import { signCallerIdentity } from '../evidence/sign-caller-identity.js';
import { makeNonce, nonceKey } from '../nonce/nonce-store.js';
import { CLIENT_PROFILES } from '../wire-profile.js';
import { answerInvalid, callServer, type Fetch } from './call-server.js';
import type { CallOptions, ClientOptions, InstanceLoginOptions, PosternClient } from './client-options.js';
import { isTokenText, parseLogin, parseTokenFacts } from './login.js';
import { realSleep, retrying } from './retry.js';
import { parsePath, parseServerAddress } from './server-address.js';

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_ATTEMPTS = 4;
const DEFAULT_RETRY_WAIT_MS = 15_000;

interface Sent extends CallOptions {
  readonly method?: 'GET';
  readonly path: string;
  readonly token?: string;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly secrets: readonly string[];
}

/**
 * @throws TypeError for an invalid address or path
 * @example
 * ```ts
 * const client = createPosternClient({ url: 'https://postern.example.com' });
 * const nonces = fileNonceStore('/var/lib/app/nonces');
 * const { token, ttlSeconds } = await client.loginWithInstance({ role: 'web', nonces });
 * ```
 */
export function createPosternClient(options: ClientOptions): PosternClient {
  const address = parseServerAddress(options);
  const { profile: profileName = 'neutral', now = Date.now } = options;
  const profile = CLIENT_PROFILES[profileName];
  const mountPath = parsePath(options.mountPath ?? profile.defaultMountPath, 'mountPath');
  const standing: Readonly<Record<string, string>> = {
    ...profile.headers,
    ...(options.namespace === undefined || profileName !== 'vault' ? {} : { 'x-vault-namespace': options.namespace }),
  };
  // Looked up at each call, so that a program may put its own in place.
  const send: Fetch = options.fetch ?? ((url, init) => fetch(url, init));

  const attempt = ({ path, token, method, body, secrets, signal }: Sent) =>
    callServer({
      fetch: send,
      url: `${address}/v1/${path}`,
      method: method ?? 'POST',
      headers: token === undefined ? standing : { ...standing, [profile.tokenHeader]: token },
      body: method === 'GET' ? undefined : (body ?? {}),
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      signal,
      secrets: token === undefined ? secrets : [token, ...secrets],
      now,
    });

  const patiently = <T>(work: () => Promise<T>, signal: AbortSignal | undefined) =>
    retrying(work, {
      maxAttempts: options.maxAttempts ?? DEFAULT_ATTEMPTS,
      maxWaitMs: options.maxRetryWaitMs ?? DEFAULT_RETRY_WAIT_MS,
      sleep: options.sleep ?? realSleep,
      random: options.random ?? Math.random,
      signal,
    });

  const call = (sent: Sent) => patiently(() => attempt(sent), sent.signal);

  const withToken = (token: string, path: string, { signal }: CallOptions, more: Partial<Sent> = {}) => {
    if (!isTokenText(token)) throw new TypeError('token: must be printable ASCII without spaces');
    return call({ path, token, secrets: [], signal, ...more });
  };

  return {
    async loginWithInstance(how) {
      const { instanceId, proof } = await evidenceOf(how);
      const key = nonceKey(options.nonceScope ?? address, mountPath, instanceId);
      const nonce = how.nonces === undefined ? nonceOf(how) : await how.nonces.keep(key, makeNonce());
      const body = { ...roleOf(how.role), ...proof, nonce };
      const secrets = [nonce, ...Object.values(proof)];
      return parseLogin(await call({ path: `${mountPath}/login`, body, secrets, signal: how.signal }));
    },
    async loginWithPrincipal({ role, signal, ...how }) {
      const answer = await patiently(async () => {
        // Anew each time: a server may refuse a signature that it has seen.
        const fields = await signCallerIdentity({ ...how, profile: profileName, now });
        const body = { ...roleOf(role), ...fields };
        return attempt({ path: `${mountPath}/login`, body, secrets: [fields.iam_request_headers], signal });
      }, signal);
      return parseLogin(answer);
    },
    async lookupSelf(token, how = {}) {
      return parseTokenFacts(await withToken(token, 'auth/token/lookup-self', how, { method: 'GET' }));
    },
    async renewSelf(token, how = {}) {
      const { incrementSeconds } = how;
      const body = incrementSeconds === undefined ? {} : { increment: `${incrementSeconds}s` };
      return parseLogin(await withToken(token, 'auth/token/renew-self', how, { body }));
    },
    async revokeSelf(token, how = {}) {
      await withToken(token, 'auth/token/revoke-self', how);
    },
    async manage(token, { method, path, fields, ...how }) {
      const more = method === 'GET' ? ({ method } as const) : { body: fields };
      const answer = await withToken(token, `${mountPath}/${parsePath(path, 'path')}`, how, more);
      return dataOf(answer);
    },
  };
}

function dataOf({ data = {} }: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  if (typeof data !== 'object' || data === null) throw answerInvalid('the answer has no object data');
  return { ...data };
}

async function evidenceOf({ evidence, signal }: InstanceLoginOptions): Promise<InstanceEvidence> {
  if (evidence === undefined) return collectInstanceEvidence({ signal });
  return typeof evidence === 'function' ? evidence() : evidence;
}

function nonceOf({ nonce }: { readonly nonce: string }): string {
  // Without one the server would issue a nonce that is lost, and no later login would succeed.
  if (typeof nonce !== 'string') throw new TypeError('nonces: set either nonces or nonce');
  return nonce;
}

function roleOf(role: string | undefined) {
  return role === undefined ? {} : { role };
}
