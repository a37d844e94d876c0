/**
 * Who may do what in the registry: the auth method's own tokens are its bearer tokens, and the same policies decide
 * (POLICY-5). Reading an organization's modules is `read` or `list` of `registry/<organization>`; managing them,
 * publishing and deleting included, is `update` or `create`.
 */
import { type AuthMethod, isAuthError, type TokenHolder } from '@postern/core-auth';
import {
  type Authorizer,
  type Awaitable,
  type CallOptions,
  type Capability,
  compareUtf8,
  ProviderError,
  type RegistryAction,
  type RegistryAuthorizer,
  type RegistryCaller,
  type TokenUse,
} from '@postern/ports';

export interface TokenAuthorizerOptions {
  readonly method: Pick<AuthMethod, 'useToken'>;
  /** Without one only `root` sees anything. */
  readonly authorizer?: Authorizer | undefined;
  /** Organizations that have modules: policies hold patterns and cannot name them. */
  readonly namespaces: (options?: CallOptions) => Awaitable<readonly string[]>;
  /** Organizations that may have any; others are there for nobody, not even for `root`. Undefined: all. */
  readonly organizations?: ReadonlySet<string> | undefined;
}

const CAPABILITIES: Readonly<Record<RegistryAction, readonly Capability[]>> = {
  read: ['read', 'list'],
  manage: ['update', 'create'],
};

const ROOT_POLICY = 'root';

/** What can be an organization: nothing else becomes part of a path that policies match. */
const NAMESPACE = /^[0-9A-Za-z_-]{1,64}$/;

/**
 * A registry's authorizer over the auth method's tokens. One request is one use of a token whose uses are counted, however
 * much it asks; a token that is bound to addresses is good from those alone.
 */
export function createTokenAuthorizer(options: TokenAuthorizerOptions): RegistryAuthorizer {
  const { authorizer, namespaces, organizations } = options;
  const identify = oncePerRequest((token, use) => holderOf(options.method, token, use));

  async function isAllowed({ caller, namespace, action }: Parameters<RegistryAuthorizer['isAllowed']>[0]) {
    if (!NAMESPACE.test(namespace) || organizations?.has(namespace) === false) return false;
    const { policies } = caller;
    if (policies.includes(ROOT_POLICY)) return true;
    const path = `registry/${namespace}`;
    for (const capability of CAPABILITIES[action]) {
      if ((await authorizer?.isAllowed({ policies, path, capability })) === true) return true;
    }
    return false;
  }

  return {
    async identify(token, use = {}): Promise<RegistryCaller | undefined> {
      const holder = await identify(token, use);
      return holder && { name: holder.name, policies: holder.policies };
    },
    isAllowed,
    async readableNamespaces(caller, call) {
      const known = await namespaces(call);
      const readable = await Promise.all(known.map((namespace) => isAllowed({ caller, namespace, action: 'read' })));
      return known.filter((_namespace, at) => readable[at]).sort(compareUtf8);
    },
  };
}

/** @throws ProviderError `unavailable` where nobody could find out: never a denial. */
async function holderOf(
  method: TokenAuthorizerOptions['method'],
  token: string,
  { requestId = 'registry', peerAddress, signal }: TokenUse,
): Promise<TokenHolder | undefined> {
  try {
    return await method.useToken(token, { requestId, peerAddress, signal });
  } catch (error) {
    if (!isAuthError(error) || error.kind !== 'unavailable') throw error;
    const { retryAfterSeconds } = error;
    throw new ProviderError('unavailable', `The token could not be looked up: ${error.code}.`, {
      cause: error,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  }
}

type Identify = (token: string, use: TokenUse) => Promise<TokenHolder | undefined>;

/** Requests whose counted tokens are remembered: far more than are ever under way at once. */
const MAX_REQUESTS = 1000;

/**
 * One request may ask more than one question of the registry, as a page does, and is one use of a token all the same. The
 * answer is kept for the questions asked meanwhile, and where uses are counted for those that follow.
 */
function oncePerRequest(identify: Identify): Identify {
  const asked = new Map<string, Promise<TokenHolder | undefined>>();
  return (token, use) => {
    if (use.requestId === undefined) return identify(token, use);
    const key = `${use.requestId} ${token}`;
    const known = asked.get(key);
    if (known !== undefined) return known;
    const answer = identify(token, use);
    asked.set(key, answer);
    const forget = () => asked.delete(key);
    answer.then((holder) => holder?.isLimited === true || forget(), forget);
    for (const oldest of asked.keys()) {
      if (asked.size <= MAX_REQUESTS) break;
      asked.delete(oldest);
    }
    return answer;
  };
}
