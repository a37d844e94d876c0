/** Changes to a SignedData that a strict reader may accept: what they change is not signed and carries no meaning. */
import { childrenOf, constructed, type Dice, nodeAt, primitive, readBer, writeBer } from '@postern/internal';

const RSA_ENCRYPTION = Buffer.from('2a864886f70d010101', 'hex');
const SHA256_WITH_RSA = Buffer.from('2a864886f70d01010b', 'hex');

/** Puts certificates (DER) into the message, in front of its signers. */
export function withEmbeddedCertificates(signedData: Uint8Array, certificates: readonly Uint8Array[]): Uint8Array {
  const root = readBer(signedData);
  const parts = childrenOf(nodeAt(root, 1, 0));
  parts.splice(parts.length - 1, 0, constructed(0xa0, certificates.map(readBer)));
  return writeBer(root);
}

/** Takes embedded certificates and CRLs out, as a reader that ignores them sees it (DOC-5, THREAT-4). */
export function withoutEmbedded(signedData: Uint8Array): Uint8Array {
  const root = readBer(signedData);
  const parts = childrenOf(nodeAt(root, 1, 0));
  const signers = parts.at(-1);
  parts.splice(3, parts.length - 3, ...(signers === undefined ? [] : [signers]));
  return writeBer(root);
}

/** Puts NULL parameters in or takes them out, in one of the three places outside the signed attributes. */
export function withOtherParameters(signedData: Uint8Array, dice: Dice): Uint8Array {
  const root = readBer(signedData);
  const [digests, signer] = [nodeAt(root, 1, 0, 1, 0), nodeAt(root, 1, 0, -1, 0)];
  const algorithm = childrenOf(dice.pick([digests, nodeAt(signer, 2), nodeAt(signer, 4)]));
  if (algorithm.length === 1) algorithm.push(primitive(0x05));
  else algorithm.pop();
  return writeBer(root);
}

/** Names RSA with or without its digest in the signer. */
export function withOtherSignatureName(signedData: Uint8Array): Uint8Array {
  const root = readBer(signedData);
  const name = nodeAt(root, 1, 0, -1, 0, 4, 0);
  if (RSA_ENCRYPTION.equals(name.content)) name.content = new Uint8Array(SHA256_WITH_RSA);
  else if (SHA256_WITH_RSA.equals(name.content)) name.content = new Uint8Array(RSA_ENCRYPTION);
  return writeBer(root);
}

/** The same value in DER, content in one piece. */
export function inDer(signedData: Uint8Array): Uint8Array {
  return writeBer(readBer(signedData), 'der');
}
