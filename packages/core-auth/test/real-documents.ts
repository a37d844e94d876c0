/** Documents that AWS signed, as they stand in the folder shared beside the repository; nothing is copied from it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedFolder } from '@postern/internal';

/** Where they are, or undefined where tests that need them are skipped. */
export const dataFolder = sharedFolder() === undefined ? undefined : join(sharedFolder() ?? '', 'data');

export interface RealPkcs7 {
  readonly sample: string;
  /** Metadata path: `pkcs7` is DSA-SHA1, `rsa2048` is RSA-SHA256. */
  readonly kind: 'pkcs7' | 'rsa2048';
  /** Base64 as served. */
  readonly text: string;
  readonly bytes: Uint8Array;
  /** The signed document. */
  readonly document: Uint8Array;
}

export interface RealPair {
  readonly sample: string;
  readonly document: Uint8Array;
  readonly signature: string;
}

export function readData(...path: readonly string[]): Uint8Array {
  return new Uint8Array(readFileSync(join(dataFolder ?? '', ...path)));
}

export function readDataText(...path: readonly string[]): string {
  return new TextDecoder().decode(readData(...path));
}

/** Every PKCS#7 value of the samples. */
export function realPkcs7(): readonly RealPkcs7[] {
  return samplesWith('pkcs7', 'rsa2048').map(([sample, name]) => {
    const text = readDataText('iid-samples', sample, name);
    return {
      sample,
      kind: name === 'pkcs7' ? 'pkcs7' : 'rsa2048',
      text,
      bytes: new Uint8Array(Buffer.from(text, 'base64')),
      document: readData('iid-samples', sample, 'document'),
    };
  });
}

/** Every document with a detached signature. */
export function realPairs(): readonly RealPair[] {
  return samplesWith('signature').map(([sample]) => ({
    sample,
    document: readData('iid-samples', sample, 'document'),
    signature: readDataText('iid-samples', sample, 'signature'),
  }));
}

function samplesWith(...names: readonly string[]): readonly (readonly [sample: string, name: string])[] {
  if (dataFolder === undefined) return [];
  const folder = join(dataFolder, 'iid-samples');
  return readdirSync(folder)
    .sort()
    .flatMap((sample) =>
      readdirSync(join(folder, sample))
        .filter((name) => names.includes(name))
        .map((name) => [sample, name] as const),
    );
}
