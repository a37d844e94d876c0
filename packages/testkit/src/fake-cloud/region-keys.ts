/**
 * The keys a region signs its identity documents with: DSA-1024/160 (`pkcs7`), RSA-2048 (`rsa2048`) and RSA-1024
 * (`signature`), as the real cloud has. Made at first use and kept for the life of the process, because making keys is
 * slow; so two fake clouds of one process trust each other's documents.
 */
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';

/** Which of a region's keys. */
export type RegionKeyKind = 'pkcs7-dsa' | 'pkcs7-rsa2048' | 'identity-rsa';

/** `imposter`: a key of the same kind that claims the genuine key's issuer and serial number (THREAT-4). */
export type KeyHolder = 'genuine' | 'imposter';

export interface RegionKey {
  readonly kind: RegionKeyKind;
  readonly region: string;
  readonly privateKey: KeyObject;
  /** DER SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  /** Big-endian, highest bit set, the same for the genuine key and its imposter. */
  readonly serialNumber: Uint8Array;
}

const keys = new Map<string, RegionKey>();

/** The key of a region, made at the first call for it. */
export function regionKey(region: string, kind: RegionKeyKind, holder: KeyHolder = 'genuine'): RegionKey {
  const name = `${region} ${kind} ${holder}`;
  const known = keys.get(name);
  if (known !== undefined) return known;
  const { privateKey, publicKey } = generate(kind);
  const made: RegionKey = {
    kind,
    region,
    privateKey,
    spki: new Uint8Array(publicKey.export({ type: 'spki', format: 'der' })),
    serialNumber: serialNumberOf(region, kind),
  };
  keys.set(name, made);
  return made;
}

function generate(kind: RegionKeyKind): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  switch (kind) {
    case 'pkcs7-dsa':
      return generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 });
    case 'pkcs7-rsa2048':
      return generateKeyPairSync('rsa', { modulusLength: 2048 });
    case 'identity-rsa':
      return generateKeyPairSync('rsa', { modulusLength: 1024 });
  }
}

function serialNumberOf(region: string, kind: RegionKeyKind): Uint8Array {
  const serial = new Uint8Array(createHash('sha256').update(`fake cloud ${region} ${kind}`).digest().subarray(0, 8));
  serial[0] = (serial[0] ?? 0) | 0x80;
  return serial;
}
