/** Tokens in the environment: `TF_TOKEN_registry_acme_example` (CHECK-5). A port cannot be written so. */
import { parseHost } from '../installed/registry-source.js';

const PREFIX = 'TF_TOKEN_';

/** By host. `__` stands for `-` and `_` for `.`; hosts are Punycode. Secrets. */
export function environmentTokens(
  environment: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, string> {
  const tokens = new Map<string, string>();
  for (const [name, token] of Object.entries(environment)) {
    if (!name.startsWith(PREFIX) || token === undefined || token === '') continue;
    const host = parseHost(name.slice(PREFIX.length).replaceAll('__', '-').replaceAll('_', '.'));
    if (host !== undefined) tokens.set(host, token);
  }
  return tokens;
}
