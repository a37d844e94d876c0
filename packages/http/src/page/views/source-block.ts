/** What to write into a configuration to use a version: selected as a whole by one click. */
import { moduleText } from '@postern/core-registry';
import type { ModuleVersionAddress } from '@postern/ports';
import { type Html, html } from '../html/html.js';

/**
 * @param host of the registry, as clients know it. It may come from a request's header, so only what a host name holds
 *   gets into the configuration.
 */
export function sourceText(host: string, address: ModuleVersionAddress): string {
  const registry = host.replace(/[^\w.:[\]-]/g, '');
  // A block's label is an identifier, which begins with no digit.
  const label = /^\d/.test(address.name) ? `module_${address.name}` : address.name;
  return `module "${label}" {
  source  = "${registry}/${moduleText(address)}"
  version = "${address.version}"
}`;
}

export function sourceBlock(host: string, address: ModuleVersionAddress): Html {
  return html`<pre class="copy" tabindex="0" role="group" aria-label="Configuration to copy"><code>${sourceText(host, address)}</code></pre>`;
}
