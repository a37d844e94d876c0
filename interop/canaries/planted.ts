/** Secrets that a test planted, and the spellings in which one would be found: as it is, base64, hex, percent-encoded. */

/** A secret by a name that a failing test may print. */
export interface Planted {
  readonly name: string;
  /** Spellings of it, or of a stretch of it that nothing else contains. */
  readonly needles: readonly string[];
}

/** A text shorter than this is found by chance. */
const MIN_CHARACTERS = 12;
/** Of a long secret, such as a signed document, stretches are looked for: part of it is as bad as all. */
const STRETCH = 40;

/** @throws TypeError where the secret is too short to be told from noise. */
export function plant(name: string, secret: string): Planted {
  if (secret.length < MIN_CHARACTERS) throw new TypeError(`${name} is too short to look for`);
  const flat = secret.replaceAll(/\s/g, '');
  const stretches =
    flat.length <= STRETCH * 2
      ? [flat]
      : [0.2, 0.5, 0.8].map((share) =>
          flat.slice(Math.floor(flat.length * share), Math.floor(flat.length * share) + STRETCH),
        );
  return { name, needles: [...new Set(stretches.flatMap(spellings))] };
}

/** The secret as bytes, such as a key, that is never text by itself. */
export function plantBytes(name: string, bytes: Uint8Array): Planted {
  const buffer = Buffer.from(bytes);
  const hex = buffer.toString('hex');
  return {
    name,
    needles: [hex, hex.toUpperCase(), ...base64Spellings(buffer), `[${[...bytes].join(',')}]`, [...bytes].join(', ')],
  };
}

function spellings(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const hex = bytes.toString('hex');
  return [
    text,
    encodeURIComponent(text),
    JSON.stringify(text).slice(1, -1),
    hex,
    hex.toUpperCase(),
    [...text].reverse().join(''),
    ...base64Spellings(bytes),
  ];
}

/** Both alphabets, at each of the three places a text can have in what is encoded; without the ends, which its neighbours change. */
function base64Spellings(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]);
    const core = shifted
      .toString('base64')
      .replaceAll('=', '')
      .slice(offset === 0 ? 0 : offset + 1, -1);
    const url = core.replaceAll('+', '-').replaceAll('/', '_');
    return [core, url, encodeURIComponent(core)];
  });
}

/** Long enough to be rare, and no longer than the shortest spelling. */
const HEAD = 10;

/**
 * Looks for all of them at once: by their first characters, in one walk over the text, because there are thousands of
 * spellings and megabytes of text.
 *
 * @returns the names of the secrets that a text gives away.
 */
export function createSearch(secrets: Iterable<Planted>): (text: string) => readonly string[] {
  const byHead = new Map<string, { readonly needle: string; readonly name: string }[]>();
  for (const { name, needles } of secrets) {
    for (const needle of needles) {
      const head = needle.slice(0, HEAD);
      const known = byHead.get(head);
      if (known === undefined) byHead.set(head, [{ needle, name }]);
      else known.push({ needle, name });
    }
  }
  return (text) => {
    const names = new Set<string>();
    for (let at = 0; at + HEAD <= text.length; at += 1) {
      for (const { needle, name } of byHead.get(text.slice(at, at + HEAD)) ?? []) {
        if (text.startsWith(needle, at)) names.add(name);
      }
    }
    return [...names];
  };
}
