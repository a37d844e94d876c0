import { expect, it } from 'vitest';
import { allNodes, childrenOf, constructed, nodeAt, primitive, readBer, tlv, writeBer } from './ber-tree.js';

const indefinite = Uint8Array.of(0x30, 0x80, 0x24, 0x80, 4, 1, 0xaa, 4, 1, 0xbb, 0, 0, 0, 0);

it('writes what it read, or its DER', () => {
  expect(writeBer(readBer(indefinite))).toEqual(indefinite);
  expect(writeBer(readBer(indefinite), 'der')).toEqual(Uint8Array.of(0x30, 4, 4, 2, 0xaa, 0xbb));
});

it('alters one element', () => {
  const root = readBer(indefinite);
  Object.assign(nodeAt(root, 0, -1), primitive(4, [0xcc]));
  childrenOf(root).push(constructed(0x31, []));
  expect(allNodes(root).map(({ tag }) => tag)).toEqual([0x30, 0x24, 4, 4, 0x31]);
  expect(writeBer(root, 'der')).toEqual(Uint8Array.of(0x30, 6, 4, 2, 0xaa, 0xcc, 0x31, 0));
});

it('writes long lengths minimally', () => {
  for (const [length, header] of [
    [127, [4, 127]],
    [128, [4, 0x81, 128]],
    [65_536, [4, 0x83, 1, 0, 0]],
  ] as const) {
    const written = tlv(4, new Uint8Array(length));
    expect([...written.subarray(0, header.length)]).toEqual(header);
    expect(readBer(written).content).toHaveLength(length);
  }
});

it.each([[[0x30, 0x80]], [[4, 2, 0]], [[4, 0x80, 0, 0]], [[4, 0, 0]], [[]]])('refuses %j', (bytes) => {
  expect(() => readBer(Uint8Array.from(bytes))).toThrow();
});

it('says where a path leads nowhere', () => {
  expect(() => nodeAt(readBer(indefinite), 1)).toThrow();
  expect(() => childrenOf(primitive(4))).toThrow();
});
