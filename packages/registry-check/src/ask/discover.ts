/** Where a host has its modules: the service discovery of the registry protocol (CHECK-2). */
import { member, parseAnswer } from './json.js';
import { AskError, type Credential, otherOrigin } from './problem.js';
import type { Sender } from './send.js';

/** Where to ask instead of `https://HOST/.well-known/terraform.json`. */
export type RegistryLocation =
  /** The discovery document, somewhere else: `http://127.0.0.1:8080/.well-known/terraform.json`. */
  | { readonly discoveryUrl: string }
  /** Skips discovery: the value of `modules.v1`. */
  | { readonly modulesUrl: string };

const PATH = '/.well-known/terraform.json';
const MAX_BYTES = 1024 * 1024;

export interface DiscoveredModules {
  /** The base of the modules protocol, ending with a slash. */
  readonly modulesUrl: URL;
  readonly credential: Credential | undefined;
}

/**
 * Finds a host's modules. The token belongs to the host's own origin, or to that of the address that the operator named
 * (CHECK-6): a discovery document, redirected or not, cannot send it elsewhere.
 *
 * @throws AskError
 */
export async function discoverModules(
  send: Sender,
  host: string,
  token: string | undefined,
  location: RegistryLocation | undefined,
): Promise<DiscoveredModules> {
  const given = ({ origin }: URL) => (token === undefined ? undefined : { token, origin });
  // Configured by the operator, who may allow plain HTTP.
  if (location !== undefined && 'modulesUrl' in location) {
    const modulesUrl = baseUrl(location.modulesUrl, undefined);
    return { modulesUrl, credential: given(modulesUrl) };
  }
  const asked = location === undefined ? new URL(`https://${host}${PATH}`) : new URL(location.discoveryUrl);
  const credential = given(asked);
  const { status, url, text } = await send({ url: asked, credential, maxBytes: MAX_BYTES });
  if (status === 401 || status === 403)
    throw new AskError('unauthorized', `access denied with status ${status}; check the token`);
  if (status === 404) throw new AskError('no_registry', 'host does not offer a module registry');
  if (status !== 200) throw new AskError('answer_invalid', `discovery failed with status ${status}`);
  const service = member(parseAnswer(text), 'modules.v1');
  if (typeof service !== 'string') throw new AskError('no_registry', 'host does not offer a module registry');
  const modulesUrl = baseUrl(service, url);
  if (credential !== undefined && modulesUrl.origin !== credential.origin) {
    if (modulesUrl.protocol === 'http:' && asked.protocol === 'https:') {
      throw new AskError('token_unusable', 'refusing to send the token over plain HTTP');
    }
    throw otherOrigin(credential, modulesUrl.origin);
  }
  return { modulesUrl, credential };
}

/** @param from what a relative address starts from. @throws AskError `answer_invalid` */
function baseUrl(text: string, from: URL | undefined): URL {
  let url: URL | undefined;
  try {
    url = new URL(text, from);
  } catch {
    url = undefined;
  }
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new AskError('answer_invalid', 'discovery returned an invalid modules URL');
  }
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}
