/** Which member of a JSON text stands twice in one object: its path, for the message. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

interface Open {
  /** Undefined in a list. */
  readonly names: Set<string> | undefined;
  /** The member that is read, or the place in a list. */
  at: string | number;
}

/** @param text valid JSON. @returns `policies.operator`; undefined where no name stands twice. */
export function duplicateMemberOf(text: string): string | undefined {
  const open: Open[] = [];
  let string: string | undefined;
  for (const [token] of text.matchAll(TOKEN)) {
    const inside = open.at(-1);
    if (token === '{') open.push({ names: new Set(), at: '' });
    else if (token === '[') open.push({ names: undefined, at: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && typeof inside?.at === 'number') inside.at += 1;
    else if (token === ':' && inside?.names !== undefined && string !== undefined) {
      inside.at = string;
      if (inside.names.has(string)) return open.map(({ at }) => at).join('.');
      inside.names.add(string);
    }
    string = token.startsWith('"') ? String(JSON.parse(token)) : undefined;
  }
  return undefined;
}
