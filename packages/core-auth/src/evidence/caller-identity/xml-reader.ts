/**
 * Reads the little XML that STS writes (STS-11, THREAT-34, THREAT-15), and nothing that could mean two things to two
 * readers: no DOCTYPE, no processing instruction, no comment, no CDATA, no prefix, no mixed content, no reference but the
 * five. Everything that begins with `<!` or `<?` fails because no name begins so.
 */

export interface XmlElement {
  readonly name: string;
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly children: readonly XmlElement[];
  /** Of an element without children, references resolved; otherwise empty. */
  readonly text: string;
}

/** The outermost element counts. STS nests three deep. */
const MAX_DEPTH = 8;

/** STS writes one attribute. Against comparing thousands with each other. */
const MAX_ATTRIBUTES = 8;

const UTF8 = '[Uu][Tt][Ff]-8';
const DECLARATION = new RegExp(`^<\\?xml version=(?:"1\\.0"|'1\\.0')(?: encoding=(?:"${UTF8}"|'${UTF8}'))? ?\\?>`);
const NAME = /[A-Za-z_][A-Za-z0-9_.-]{0,127}/y;
const SPACE = /[ \t\r\n]*/y;
const BLANK = /^[ \t\r\n]*$/;
/** Characters that XML 1.0 does not know, and the one sequence that it forbids in text. */
const FORBIDDEN = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|\]\]>/u;
const REFERENCE = /&([^;&]{0,8});?/g;
const REFERENCES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['apos', "'"],
  ['gt', '>'],
  ['lt', '<'],
  ['quot', '"'],
]);

interface Cursor {
  readonly text: string;
  at: number;
}

/** The one element of a text, or undefined where the text is anything else. Takes linear time; callers bound the text. */
export function readXml(text: string): XmlElement | undefined {
  if (FORBIDDEN.test(text)) return undefined;
  const cursor: Cursor = { text, at: DECLARATION.exec(text)?.[0].length ?? 0 };
  match(cursor, SPACE);
  const root = readElement(cursor, 1);
  match(cursor, SPACE);
  return cursor.at === text.length ? root : undefined;
}

function readElement(cursor: Cursor, depth: number): XmlElement | undefined {
  if (depth > MAX_DEPTH || !take(cursor, '<')) return undefined;
  const name = match(cursor, NAME);
  const attributes = readAttributes(cursor);
  if (name === '' || attributes === undefined) return undefined;
  if (take(cursor, '/>')) return { name, attributes, children: [], text: '' };
  if (!take(cursor, '>')) return undefined;
  const content = readContent(cursor, depth);
  if (content === undefined || match(cursor, NAME) !== name) return undefined;
  match(cursor, SPACE);
  return take(cursor, '>') ? { name, attributes, ...content } : undefined;
}

/** Up to and with the `</` of the end tag. */
function readContent(cursor: Cursor, depth: number): Pick<XmlElement, 'children' | 'text'> | undefined {
  const children: XmlElement[] = [];
  const texts: string[] = [];
  for (;;) {
    const end = cursor.text.indexOf('<', cursor.at);
    if (end < 0) return undefined;
    texts.push(cursor.text.slice(cursor.at, end));
    cursor.at = end;
    if (take(cursor, '</')) break;
    const child = readElement(cursor, depth + 1);
    if (child === undefined) return undefined;
    children.push(child);
  }
  if (children.length > 0) return texts.every((text) => BLANK.test(text)) ? { children, text: '' } : undefined;
  const text = resolve(texts.join(''));
  return text === undefined ? undefined : { children, text };
}

function readAttributes(cursor: Cursor): XmlElement['attributes'] | undefined {
  const attributes: [string, string][] = [];
  while (match(cursor, SPACE) !== '') {
    const name = match(cursor, NAME);
    if (name === '') break;
    match(cursor, SPACE);
    if (!take(cursor, '=')) return undefined;
    match(cursor, SPACE);
    const value = readQuoted(cursor);
    if (value === undefined || attributes.length === MAX_ATTRIBUTES) return undefined;
    if (attributes.some(([known]) => known === name)) return undefined;
    attributes.push([name, value]);
  }
  return attributes;
}

function readQuoted(cursor: Cursor): string | undefined {
  const quote = cursor.text.charAt(cursor.at);
  if (quote !== '"' && quote !== "'") return undefined;
  const end = cursor.text.indexOf(quote, cursor.at + 1);
  const raw = end < 0 ? '<' : cursor.text.slice(cursor.at + 1, end);
  if (raw.includes('<')) return undefined;
  cursor.at = end + 1;
  return resolve(raw);
}

/** Undefined for any reference but the five, numeric ones included. */
function resolve(raw: string): string | undefined {
  let isKnown = true;
  const text = raw.replace(REFERENCE, (whole, name: string) => {
    const character = whole.endsWith(';') ? REFERENCES.get(name) : undefined;
    if (character === undefined) isKnown = false;
    return character ?? '';
  });
  return isKnown ? text : undefined;
}

function take(cursor: Cursor, token: string): boolean {
  if (!cursor.text.startsWith(token, cursor.at)) return false;
  cursor.at += token.length;
  return true;
}

/** What a sticky expression matches here, possibly nothing. */
function match(cursor: Cursor, expression: RegExp): string {
  expression.lastIndex = cursor.at;
  const found = expression.exec(cursor.text)?.[0] ?? '';
  cursor.at += found.length;
  return found;
}
