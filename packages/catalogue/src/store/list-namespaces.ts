/** Which namespaces there are: those of the modules' keys, found by leaping from each to the next. */
import { type CatalogueContext, ofStorage } from './records.js';

/** The character after `!`, which no name begins with: a position behind every module of a namespace. */
const BEHIND = '"';

/** See `HostedCatalogue.namespaces`. */
export async function listNamespaces(
  { keys, storage }: CatalogueContext,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const namespaces: string[] = [];
  for (;;) {
    const last = namespaces.at(-1);
    const after = last === undefined ? undefined : `${keys.modules}${last}${BEHIND}`;
    const { items } = await ofStorage(() => storage.list(keys.modules, { after, limit: 1 }, { signal }));
    const [namespace] = items[0]?.key.slice(keys.modules.length).split('!') ?? [];
    if (namespace === undefined) return namespaces;
    namespaces.push(namespace);
  }
}
