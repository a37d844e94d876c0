/** Forged evidence: what a stranger can make of a genuine document. */

/** @returns the PKCS#7 value under a signature that is off by one bit */
export function withForgedSignature(pkcs7: string): string {
  const bytes = Buffer.from(pkcs7, 'base64');
  const last = bytes.lastIndexOf(Buffer.from([0x04, 0x82, 0x01, 0x00])) + 4;
  bytes.writeUInt8(bytes.readUInt8(last + 200) ^ 1, last + 200);
  return bytes.toString('base64');
}
