/** Registry settings in a configuration file of the CLI: `credentials` and `host` blocks (CHECK-5). */
import { parseHost } from '../installed/registry-source.js';
import { type ConfigEntry, ConfigSyntaxError, parseConfigLanguage } from './parse-config-language.js';

export interface CliConfig {
  /** By host. Secrets. */
  readonly tokens: ReadonlyMap<string, string>;
  /** By host: the address of `modules.v1` that a `host` block gives, in place of discovery. */
  readonly modulesUrls: ReadonlyMap<string, string>;
}

/** @param format of the file, by its name. @throws ConfigSyntaxError that says where, never what */
export function parseCliConfig(text: string, format: 'native' | 'json'): CliConfig {
  const entries = format === 'json' ? entriesOfJson(text) : parseConfigLanguage(text);
  const tokens = new Map<string, string>();
  const modulesUrls = new Map<string, string>();
  for (const { path, value } of labelled(entries, 2)) {
    const [kind, label = ''] = path;
    const host = parseHost(label);
    if (host === undefined || typeof value === 'string' || value === null) continue;
    if (kind === 'credentials') {
      const token = textAt(value, ['token']);
      if (token !== undefined) tokens.set(host, token);
    }
    if (kind === 'host') {
      const url = textAt(value, ['services', 'modules.v1']);
      if (url !== undefined) modulesUrls.set(host, url);
    }
  }
  return { tokens, modulesUrls };
}

/** Entries whose path has so many parts: `credentials = { "host" = {…} }` means the same as a block with a label. */
function labelled(entries: readonly ConfigEntry[], parts: number): readonly ConfigEntry[] {
  return entries.flatMap(({ path, value }) => {
    if (path.length >= parts || typeof value === 'string' || value === null) return [{ path, value }];
    return labelled(
      value.map((inner) => ({ path: [...path, ...inner.path], value: inner.value })),
      parts,
    );
  });
}

function textAt(entries: readonly ConfigEntry[], path: readonly string[]): string | undefined {
  const found = labelled(entries, path.length).find((entry) => entry.path.join('\n') === path.join('\n'));
  return typeof found?.value === 'string' ? found.value : undefined;
}

const MAX_JSON_DEPTH = 8;

function entriesOfJson(text: string): readonly ConfigEntry[] {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text.
    throw new ConfigSyntaxError('not valid JSON');
  }
  return entriesOfValue(document, 0);
}

/** A list of objects is as good as one object: so the CLI reads JSON. */
function entriesOfValue(value: unknown, depth: number): readonly ConfigEntry[] {
  if (typeof value !== 'object' || value === null || depth > MAX_JSON_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((each: unknown) => entriesOfValue(each, depth + 1));
  return Object.entries(value).map(([name, inner]: [string, unknown]) => ({
    path: [name],
    value: typeof inner === 'string' ? inner : entriesOfValue(inner, depth + 1),
  }));
}
