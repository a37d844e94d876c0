/**
 * Reads the XML of EC2, whose size the transport has bounded, and keeps the elements that were asked for. Strict: what is not
 * well-formed to its last byte is not an answer. No DOCTYPE, so that no entity is ever declared: one that XML does not know by
 * itself is an error.
 */
import { SaxesParser } from 'saxes';

/** Which elements to keep, by name, and which of theirs. The outermost names are those that a document may have as its root. */
export interface XmlShape {
  readonly [name: string]: XmlShape;
}

export interface XmlElement {
  readonly name: string;
  /** Of the shape alone, in the order of the document. */
  readonly children: readonly XmlElement[];
  /** Its own text, references resolved. */
  readonly text: string;
}

/** EC2 nests some twelve deep. */
const MAX_DEPTH = 64;

/** A hundred instances with fifty tags each keep a fifth. Against millions of empty elements, each an object here. */
const MAX_KEPT = 100_000;

/** The document is not what the provider would write. Says nothing of its text. */
export class XmlError extends Error {}

interface Kept {
  readonly name: string;
  readonly children: Kept[];
  readonly shape: XmlShape;
  text: string;
}

/** @throws XmlError unless the bytes are one well-formed document in UTF-8 whose root is in the shape. */
export function readXml(bytes: Uint8Array, shape: XmlShape): XmlElement {
  const top: Kept = { name: '', children: [], shape, text: '' };
  const path = [top];
  let depth = 0;
  let count = 0;
  const parser = new SaxesParser({ position: false });
  parser.on('error', refuse);
  parser.on('doctype', refuse);
  parser.on('opentag', ({ name }) => {
    depth += 1;
    if (depth > MAX_DEPTH) refuse();
    const parent = path[depth - 1];
    // Below an element that is not kept nothing is.
    if (parent === undefined || path.length !== depth) return;
    const wanted = Object.hasOwn(parent.shape, name) ? parent.shape[name] : undefined;
    if (wanted === undefined) return;
    count += 1;
    if (count > MAX_KEPT) refuse();
    const kept: Kept = { name, children: [], shape: wanted, text: '' };
    parent.children.push(kept);
    path.push(kept);
  });
  const addText = (text: string): void => {
    const inside = path[depth];
    if (inside !== undefined) inside.text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    if (path.length > depth) path.pop();
    depth -= 1;
  });
  parser.write(decode(bytes)).close();
  const [root] = top.children;
  if (root === undefined) throw new XmlError('not a document of this kind');
  return root;
}

/** Elements of a list: `<tagSet><item/><item/></tagSet>`. */
export function itemsAt(element: XmlElement, ...names: readonly string[]): readonly XmlElement[] {
  return elementAt(element, names)?.children ?? [];
}

/** The text at the end of a path of names, or undefined where there is no such element. */
export function textAt(element: XmlElement, ...names: readonly string[]): string | undefined {
  return elementAt(element, names)?.text;
}

/** @throws XmlError for two elements of one name: two readers could take another one each. */
function elementAt(element: XmlElement, names: readonly string[]): XmlElement | undefined {
  let at: XmlElement | undefined = element;
  for (const name of names) {
    const found: readonly XmlElement[] = at?.children.filter((child) => child.name === name) ?? [];
    if (found.length > 1) throw new XmlError('an element that is there twice');
    at = found[0];
  }
  return at;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new XmlError('not UTF-8');
  }
}

function refuse(): never {
  throw new XmlError('not well-formed');
}
