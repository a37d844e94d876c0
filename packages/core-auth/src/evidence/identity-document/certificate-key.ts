/** The key in a certificate: RSA or DSA, of a size that the verifiers take (CERT-8, THREAT-10). */
import { fromBER, Integer, Sequence } from 'asn1js';
import type { PublicKeyInfo } from 'pkijs';
import { invalidCertificate } from './certificate-pem.js';

const RSA_ENCRYPTION = '1.2.840.113549.1.1.1';
const DSA = '1.2.840.10040.4.1';

/** Keys of the provider's `rsa` and `dsa` sets have 1024 bits. */
const MIN_KEY_BITS = 1024;

/** Beyond it verifiers differ, and one check costs milliseconds. */
const MAX_KEY_BITS = 8192;

export interface CertificateKey {
  readonly keyType: 'rsa' | 'dsa';
  readonly keyBits: number;
}

/**
 * Type and size of a certificate's key. RSA-PSS and elliptic-curve keys are refused: no document is signed with them.
 *
 * @throws AuthError `certificate_invalid`
 */
export function parseKey(publicKey: PublicKeyInfo): CertificateKey {
  const algorithm = publicKey.algorithm.algorithmId;
  if (algorithm === RSA_ENCRYPTION) return { keyType: 'rsa', keyBits: checkedBits(rsaModulus(publicKey)) };
  if (algorithm === DSA) return { keyType: 'dsa', keyBits: checkedBits(dsaPrime(publicKey)) };
  throw invalidCertificate('its key is neither RSA nor DSA');
}

function rsaModulus(publicKey: PublicKeyInfo): Uint8Array {
  const { result, offset } = fromBER(publicKey.subjectPublicKey.valueBlock.valueHexView);
  const [modulus, exponent, ...rest] = result instanceof Sequence && offset >= 0 ? result.valueBlock.value : [];
  if (!(modulus instanceof Integer) || !(exponent instanceof Integer) || rest.length > 0) {
    throw invalidCertificate('its RSA key is malformed');
  }
  const exponentBytes = positive(exponent);
  // With exponent 1 every padded digest is its own signature.
  const isOne = exponentBytes.length === 1 && exponentBytes[0] === 1;
  const isEven = ((exponentBytes.at(-1) ?? 0) & 1) === 0;
  if (isOne || isEven) throw invalidCertificate('its RSA exponent is not usable');
  return positive(modulus);
}

function dsaPrime(publicKey: PublicKeyInfo): Uint8Array {
  // pkijs types the parameters as `any`; `instanceof` decides.
  const parameters: unknown = publicKey.algorithm.algorithmParams;
  const numbers = parameters instanceof Sequence ? parameters.valueBlock.value : [];
  const [prime, order, generator] = numbers;
  if (numbers.length !== 3 || !(prime instanceof Integer) || !(order instanceof Integer)) {
    throw invalidCertificate('its DSA key has no parameters');
  }
  if (!(generator instanceof Integer)) throw invalidCertificate('its DSA parameters are malformed');
  positive(order);
  positive(generator);
  return positive(prime);
}

/** Magnitude without leading zeros. */
function positive(integer: Integer): Uint8Array {
  const bytes = integer.valueBlock.valueHexView;
  const start = bytes.findIndex((byte) => byte !== 0);
  if (start < 0 || ((bytes[0] ?? 0) & 0x80) !== 0) throw invalidCertificate('its key holds a number below one');
  return bytes.subarray(start);
}

function checkedBits(magnitude: Uint8Array): number {
  const bits = magnitude.length * 8 - Math.clz32(magnitude[0] ?? 0) + 24;
  if (bits < MIN_KEY_BITS || bits > MAX_KEY_BITS) throw invalidCertificate(`its key has ${bits} bits`);
  return bits;
}
