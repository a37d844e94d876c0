/** Lists and searches: a walk through the catalogue's modules, namespace by namespace, in order of address. */
import type { CallOptions, ModuleAddress, ModuleCatalogue } from '@postern/ports';
import { moduleText } from '../addresses/address.js';
import { lowerAscii } from './lower-ascii.js';

const PAGE = 200;

/** Words beyond these are not looked for. */
const MAX_WORDS = 8;

export interface ModuleFilter {
  readonly provider?: string | undefined;
  readonly words: string;
}

/** Modules of these namespaces that match; ends when its consumer does. */
export async function* findModules(
  catalogue: ModuleCatalogue,
  namespaces: readonly string[],
  { provider, words }: ModuleFilter,
  options: CallOptions,
): AsyncGenerator<ModuleAddress> {
  const wanted = lowerAscii(words).split(/\s+/).slice(0, MAX_WORDS);
  for (const namespace of namespaces) {
    let after: string | undefined;
    do {
      const page = await catalogue.listModules({ namespace, after, limit: PAGE }, options);
      for (const module of page.modules) {
        if (provider !== undefined && module.provider !== provider) continue;
        const text = lowerAscii(moduleText(module));
        if (wanted.every((word) => text.includes(word))) yield module;
      }
      after = page.next;
    } while (after !== undefined);
  }
}
