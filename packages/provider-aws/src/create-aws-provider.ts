/** Puts the adapter together: one transport, one session a configuration, and a port over each. Wiring, nothing else. */
import { type AccessKeys, type CallerIdentitySource, type Cloud, systemClock } from '@postern/ports';
import { createAccountAccess } from './accounts/account-access.js';
import { createSessions } from './accounts/session.js';
import { createCallerIdentitySource } from './caller-identity/caller-identity-source.js';
import { createAskIam } from './iam/ask-iam.js';
import { createPrincipalDirectory } from './iam/principal-directory.js';
import { createProfileDirectory } from './iam/profile-directory.js';
import { createInstanceDirectory } from './instances/instance-directory.js';
import { createAccessKeys } from './keys/access-keys.js';
import { type AwsProviderOptions, DEFAULT_KEY_PROOF, DEFAULT_LIMITS, DEFAULT_YOUNG_RETRY } from './options.js';
import { createAskSdk } from './sdk/ask.js';
import { createSdkHandler } from './transport/sdk-handler.js';
import { createTransport } from './transport/transport.js';

/** The cloud of AWS, to be passed to `createAuthMethod` as `cloud`. */
export interface AwsProvider extends Cloud {
  readonly callerIdentity: CallerIdentitySource;
  readonly accessKeys: AccessKeys;
  /**
   * Drops all clients, credentials and memories. For core-auth's option of the same name; a configuration that was changed
   * elsewhere is noticed without it, at the next question.
   */
  onProviderConfigChange(): void;
  /** Cuts what is under way; every later question fails with `unavailable`. Idempotent. */
  close(): Promise<void>;
}

/**
 * The ports of AWS. Connects to nothing and loads no SDK until the first question.
 *
 * Every question ends within `limits.totalTimeoutMs`, with an answer or a ProviderError: `unavailable` (with
 * `retryAfterSeconds`), `denied`, `misconfigured`, or `account_not_allowed` (then no call was made for that account).
 *
 * @example
 * ```ts
 * const aws = createAwsProvider({ configuration, environment: process.env });
 * const auth = createAuthMethod({ cloud: aws, storage, crypto, audit });
 * await aws.describeInstance({ accountId: '123456789012', region: 'eu-west-1', instanceId });
 * await aws.close();
 * ```
 */
export function createAwsProvider(options: AwsProviderOptions): AwsProvider {
  const { clock = systemClock } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { totalTimeoutMs } = limits;
  const transport = createTransport({ ...limits, tlsCertificates: options.tlsCertificates });
  const handler = createSdkHandler(transport, limits.attemptTimeoutMs);
  const ask = createAskSdk(clock, totalTimeoutMs, options.random);
  const sessions = createSessions({ options, limits, handler, ask });
  const findAccess = createAccountAccess(sessions, options);
  const loadTransport = (): Promise<void> => transport.load();
  const askIam = createAskIam({ handler, ask, findAccess, totalTimeoutMs, loadTransport });
  const young = { ...DEFAULT_YOUNG_RETRY, ...options.youngInstanceRetry };
  const proof = { ...DEFAULT_KEY_PROOF, ...options.keyProof };
  return {
    ...createInstanceDirectory({ clock, limits, young, handler, ask, findAccess, transport }),
    ...createProfileDirectory(askIam),
    ...createPrincipalDirectory(askIam),
    callerIdentity: createCallerIdentitySource(transport, { clock, totalTimeoutMs }),
    accessKeys: createAccessKeys({ handler, ask, sessions, totalTimeoutMs, proof, loadTransport }),
    onProviderConfigChange: () => sessions.drop(),
    close: () => transport.close(),
  };
}
