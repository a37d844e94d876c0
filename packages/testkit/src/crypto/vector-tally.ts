/** Runs vectors one by one, so that a failure tells all wrong verdicts at once and not only the first. */
import type { SignatureAlgorithm, SignatureVerifier } from '@postern/ports';
import type { CryptoVectorCounts } from './crypto-contract-case.js';

export interface SignatureVector {
  readonly label: string;
  readonly algorithm: SignatureAlgorithm;
  readonly spki: Uint8Array;
  readonly data: Uint8Array;
  readonly signature: Uint8Array;
  readonly genuine: boolean;
}

export interface VectorTally {
  add(label: string, expected: boolean, verdict: boolean | string): void;
  /** Tries it. An implementation that does not support the algorithm must refuse by TypeError. */
  addSignature(verifier: SignatureVerifier, vector: SignatureVector): Promise<void>;
  /** A vector that the port has no way to try. */
  addUnsupported(): void;
  /** @throws Error that names every vector with a wrong verdict */
  counts(): CryptoVectorCounts;
}

/** A tally of nothing yet. */
export function createTally(): VectorTally {
  let checked = 0;
  let genuine = 0;
  let unsupported = 0;
  const wrong: string[] = [];
  return {
    add(label, expected, verdict) {
      checked += 1;
      if (expected) genuine += 1;
      if (verdict !== expected) wrong.push(`${label}: ${verdict} instead of ${expected}`);
    },
    async addSignature(verifier, vector) {
      const verdict = await verdictOf(verifier, vector);
      if (verifier.supports(vector.algorithm)) {
        this.add(vector.label, vector.genuine, verdict);
        return;
      }
      unsupported += 1;
      if (verdict !== 'TypeError') wrong.push(`${vector.label}: ${verdict} instead of a TypeError`);
    },
    addUnsupported() {
      unsupported += 1;
    },
    counts() {
      if (wrong.length > 0) throw new Error(`${wrong.length} wrong verdicts\n${wrong.join('\n')}`);
      return { checked, genuine, unsupported };
    },
  };
}

/** The verdict, or the name of what was thrown. */
export async function verdictOf(
  verifier: SignatureVerifier,
  { algorithm, spki, data, signature }: Omit<SignatureVector, 'label' | 'genuine'>,
): Promise<boolean | string> {
  try {
    return await verifier.verify(algorithm, spki, data, signature);
  } catch (error) {
    return error instanceof Error ? error.name : 'a thrown value that is no Error';
  }
}
