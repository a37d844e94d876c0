/**
 * Mutations of a BER value element by element: some change only the spelling (lengths, pieces of a string), most change
 * what it says. What a strict reader accepts of them must mean what the original meant.
 */
import { allNodes, type BerNode, constructed, primitive, readBer, writeBer } from './ber-tree.js';
import type { Dice } from './dice.js';
import { mutateBytes } from './mutate-bytes.js';

/** Changes the tree in place. */
type TreeMutation = (root: BerNode, dice: Dice) => void;

const OCTET_STRING = 0x04;
const CONSTRUCTED_OCTET_STRING = 0x24;

const SPELLINGS: readonly TreeMutation[] = [
  (root, dice) => {
    const node = dice.pick(constructedNodes(root));
    node.indefinite = !node.indefinite;
  },
  (root) => {
    for (const node of allNodes(root)) node.indefinite = false;
  },
  (root, dice) => {
    const strings = allNodes(root).filter((node) => node.tag === OCTET_STRING && node.content.length > 1);
    if (strings.length > 0) cutIntoPieces(dice.pick(strings), dice);
  },
  (root) => {
    for (const node of allNodes(root)) if (node.tag === CONSTRUCTED_OCTET_STRING) joinPieces(node);
  },
];

const MEANINGS: readonly TreeMutation[] = [
  (root, dice) => {
    const [one, other] = [dice.pick(allNodes(root)), dice.pick(allNodes(root))];
    const held = { ...one };
    if (!contains(one, other) && !contains(other, one)) {
      Object.assign(one, other);
      Object.assign(other, held);
    }
  },
  (root, dice) => {
    const parent = dice.pick(constructedNodes(root));
    const copy = structuredClone(dice.pick(allNodes(root)));
    parent.children?.splice(dice.roll(parent.children.length + 1), 0, copy);
  },
  (root, dice) => {
    const parent = dice.pick(constructedNodes(root));
    parent.children?.splice(dice.roll(parent.children.length), 1);
  },
  (root, dice) => {
    const parent = dice.pick(constructedNodes(root));
    parent.children?.push(dice.pick([primitive(0x05), primitive(OCTET_STRING, [0]), constructed(0x30, [])]));
  },
  (root, dice) => {
    dice.pick(allNodes(root)).tag ^= 1 << dice.roll(8);
  },
  (root, dice) => {
    const leaves = allNodes(root).filter(({ children }) => children === undefined);
    if (leaves.length === 0) return;
    const leaf = dice.pick(leaves);
    leaf.content = mutateBytes(leaf.content, dice);
  },
];

/** A mutant of a well-formed value: one to three changes of spelling or meaning, sometimes with damage to its bytes. */
export function mutateBer(bytes: Uint8Array, dice: Dice): Uint8Array {
  if (dice.roll(4) === 0) return mutateBytes(bytes, dice);
  const root = readBer(bytes);
  const kind = dice.roll(3) === 0 ? MEANINGS : SPELLINGS;
  for (let left = 1 + dice.roll(3); left > 0; left -= 1) dice.pick(kind)(root, dice);
  const mutant = writeBer(root);
  return dice.roll(8) === 0 ? mutateBytes(mutant, dice) : mutant;
}

function constructedNodes(root: BerNode): BerNode[] {
  return [root, ...allNodes(root).filter(({ children }) => children !== undefined)];
}

function contains(outer: BerNode, inner: BerNode): boolean {
  return allNodes(outer).includes(inner);
}

function cutIntoPieces(node: BerNode, dice: Dice): void {
  const at = 1 + dice.roll(node.content.length - 1);
  const pieces = [node.content.slice(0, at), node.content.slice(at)].map((piece) => primitive(OCTET_STRING, piece));
  const replacement = constructed(CONSTRUCTED_OCTET_STRING, pieces);
  Object.assign(node, replacement, { indefinite: dice.roll(2) === 0 });
}

function joinPieces(node: BerNode): void {
  const pieces = allNodes(node).filter(({ children }) => children === undefined);
  Object.assign(
    node,
    primitive(
      OCTET_STRING,
      pieces.flatMap(({ content }) => [...content]),
    ),
  );
}
