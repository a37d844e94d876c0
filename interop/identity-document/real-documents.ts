/** Documents that AWS signed, as they stand in the folder shared beside the repository; nothing is copied from it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedFolder } from '@postern/internal';

export interface RealDocument {
  /** `taskcluster-iid-verify/rsa2048`. */
  readonly name: string;
  /** The SignedData, as decoded from what the metadata service serves. */
  readonly bytes: Uint8Array;
}

/** Every PKCS#7 value of the samples; none where the shared folder is absent. */
export function realDocuments(): readonly RealDocument[] {
  const shared = sharedFolder();
  if (shared === undefined) return [];
  const samples = join(shared, 'data', 'iid-samples');
  return readdirSync(samples)
    .sort()
    .flatMap((sample) =>
      readdirSync(join(samples, sample))
        .filter((name) => name === 'pkcs7' || name === 'rsa2048')
        .map((name) => ({
          name: `${sample}/${name}`,
          bytes: new Uint8Array(Buffer.from(readFileSync(join(samples, sample, name), 'latin1'), 'base64')),
        })),
    );
}
