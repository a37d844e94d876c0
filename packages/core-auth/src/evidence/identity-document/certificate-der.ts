/** Whether ASN.1 is DER: one value, one encoding. A certificate has no other; ASN.1 parsers take BER all the same. */
import { type BaseBlock, Constructed } from 'asn1js';

const UNIVERSAL = 1;
const SEQUENCE = 16;
const SET = 17;

/**
 * Whether `der` is the distinguished encoding of the block parsed from it. A BER variant would be the same certificate
 * with another issuer or key, which documents and keys are compared with byte for byte.
 */
export function isDer(block: BaseBlock, der: Uint8Array): boolean {
  return isDefinite(block) && isSame(new Uint8Array(block.toBER()), der);
}

/** The parser writes indefinite lengths and strings in pieces as it read them, so that comparing does not find them. */
function isDefinite(block: BaseBlock): boolean {
  if (block.lenBlock.isIndefiniteForm) return false;
  const { isConstructed, tagClass, tagNumber } = block.idBlock;
  if (isConstructed && tagClass === UNIVERSAL && tagNumber !== SEQUENCE && tagNumber !== SET) return false;
  return !(block instanceof Constructed) || block.valueBlock.value.every(isDefinite);
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
