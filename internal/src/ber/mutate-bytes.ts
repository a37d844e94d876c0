/** Damage to bytes that knows no structure: flips, insertions, deletions, truncations, copies. */
import { concat } from './ber-tree.js';
import type { Dice } from './dice.js';

const MUTATIONS: readonly ((bytes: Uint8Array, dice: Dice) => Uint8Array)[] = [
  (bytes, dice) => withOctet(bytes, dice.roll(bytes.length), (octet) => octet ^ (1 << dice.roll(8))),
  (bytes, dice) => withOctet(bytes, dice.roll(bytes.length), () => dice.roll(256)),
  (bytes, dice) => withOctet(bytes, dice.roll(bytes.length), (octet) => octet + dice.pick([-1, 1, 2, 127, 128])),
  (bytes, dice) => splice(bytes, dice.roll(bytes.length + 1), 0, dice.bytes(1 + dice.roll(4))),
  (bytes, dice) => splice(bytes, dice.roll(bytes.length), 1 + dice.roll(4), new Uint8Array(0)),
  (bytes, dice) => bytes.slice(0, dice.roll(bytes.length)),
  (bytes, dice) => concat([bytes, dice.bytes(1 + dice.roll(4))]),
  (bytes, dice) => {
    const from = dice.roll(bytes.length);
    return splice(bytes, dice.roll(bytes.length), 0, bytes.slice(from, from + 1 + dice.roll(64)));
  },
];

/** A damaged copy; the same dice give the same damage. Of no bytes, a few bytes. */
export function mutateBytes(bytes: Uint8Array, dice: Dice): Uint8Array {
  return bytes.length === 0 ? dice.bytes(dice.roll(8)) : dice.pick(MUTATIONS)(bytes, dice);
}

function withOctet(bytes: Uint8Array, at: number, change: (octet: number) => number): Uint8Array {
  const changed = bytes.slice();
  changed[at] = change(changed[at] ?? 0);
  return changed;
}

function splice(bytes: Uint8Array, at: number, remove: number, insert: Uint8Array): Uint8Array {
  return concat([bytes.subarray(0, at), insert, bytes.subarray(Math.min(at + remove, bytes.length))]);
}
