/** Takes BER apart and puts it together again, valid or not, so that tests can alter one element of a real value. */

export interface BerNode {
  tag: number;
  /** Written with indefinite length where it is constructed. */
  indefinite: boolean;
  /** Of a primitive element. */
  content: Uint8Array;
  /** Of a constructed element. */
  children: BerNode[] | undefined;
}

/** Reads one element that fills the bytes. Lenient: for values that are known to be well-formed. */
export function readBer(bytes: Uint8Array): BerNode {
  const [node, end] = readNode(bytes, 0);
  if (end !== bytes.length) throw new Error('trailing bytes');
  return node;
}

/** Writes with minimal lengths; `der` writes every length definite and a constructed OCTET STRING as a primitive. */
export function writeBer(node: BerNode, form: 'as-is' | 'der' = 'as-is'): Uint8Array {
  if (node.children === undefined) return tlv(node.tag, node.content);
  if (form === 'der' && node.tag === 0x24) return tlv(0x04, concat(node.children.map((child) => child.content)));
  const content = concat(node.children.map((child) => writeBer(child, form)));
  if (form === 'as-is' && node.indefinite) {
    return concat([Uint8Array.of(node.tag, 0x80), content, Uint8Array.of(0, 0)]);
  }
  return tlv(node.tag, content);
}

export function primitive(tag: number, content: ArrayLike<number> = []): BerNode {
  return { tag, indefinite: false, content: Uint8Array.from(content), children: undefined };
}

export function constructed(tag: number, children: BerNode[]): BerNode {
  return { tag, indefinite: false, content: new Uint8Array(0), children };
}

/** Children of a constructed element. */
export function childrenOf(node: BerNode): BerNode[] {
  if (node.children === undefined) throw new Error(`element ${node.tag.toString(16)} is primitive`);
  return node.children;
}

/** The element at a path of child indexes; negative ones count from the end. */
export function nodeAt(root: BerNode, ...path: readonly number[]): BerNode {
  let node = root;
  for (const index of path) {
    const child = childrenOf(node).at(index);
    if (child === undefined) throw new Error(`no child ${index}`);
    node = child;
  }
  return node;
}

/** Every element, parents first. */
export function allNodes(root: BerNode): BerNode[] {
  return [root, ...(root.children ?? []).flatMap(allNodes)];
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

export function tlv(tag: number, content: Uint8Array): Uint8Array {
  const { length } = content;
  if (length < 0x80) return concat([Uint8Array.of(tag, length), content]);
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return concat([Uint8Array.of(tag, 0x80 | octets.length, ...octets), content]);
}

function readNode(bytes: Uint8Array, start: number): [BerNode, number] {
  const tag = octetAt(bytes, start);
  const [length, from] = readLength(bytes, start + 1);
  const isConstructed = (tag & 0x20) !== 0;
  if (length !== undefined && from + length > bytes.length) throw new Error('truncated');
  if (!isConstructed) {
    if (length === undefined) throw new Error('a primitive element of indefinite length');
    const content = bytes.slice(from, from + length);
    return [{ tag, indefinite: false, content, children: undefined }, from + length];
  }
  const children: BerNode[] = [];
  let at = from;
  while (length === undefined ? octetAt(bytes, at) !== 0 || octetAt(bytes, at + 1) !== 0 : at < from + length) {
    const [child, next] = readNode(bytes, at);
    children.push(child);
    at = next;
  }
  const end = length === undefined ? at + 2 : at;
  return [{ tag, indefinite: length === undefined, content: new Uint8Array(0), children }, end];
}

function readLength(bytes: Uint8Array, at: number): [length: number | undefined, next: number] {
  const first = octetAt(bytes, at);
  if (first === 0x80) return [undefined, at + 1];
  if (first < 0x80) return [first, at + 1];
  let length = 0;
  for (let index = 1; index <= (first & 0x7f); index += 1) length = length * 256 + octetAt(bytes, at + index);
  return [length, at + 1 + (first & 0x7f)];
}

function octetAt(bytes: Uint8Array, at: number): number {
  const octet = bytes[at];
  if (octet === undefined) throw new Error('truncated');
  return octet;
}
