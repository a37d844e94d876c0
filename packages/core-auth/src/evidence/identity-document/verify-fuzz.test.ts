/** Five thousand damaged proofs (THREAT-39): refused with the typed error or unchanged in meaning, never a crash. */

import { createDice, mutateBer, mutateBytes } from '@postern/internal';
import { createFakeCloud, createManualClock, type Encoding } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { trusted, trusting, verifyBytes, verifyPair } from '../../../test/evidence.js';
import { isAuthError } from '../../errors.js';
import { parseIdentityDocument } from './document.js';

const SEED = 20_261_121;
const cloud = createFakeCloud({ clock: createManualClock(Date.UTC(2026, 1, 16)), seed: 'fuzz' });
const instance = cloud.launchInstance();
const { document, signature } = instance.identityDocument();
const documentBytes = new TextEncoder().encode(document);
const fields = parseIdentityDocument(documentBytes);
const { pkcs7Dsa, pkcs7Rsa2048, identityRsa } = cloud.certificates();
const trustStore = trusting(
  [trusted(pkcs7Dsa, 'pkcs7'), trusted(pkcs7Rsa2048, 'pkcs7'), trusted(identityRsa, 'identity')],
  { allowSha1Signatures: true },
);

/** What `judge` gives, or undefined where it refuses as it should. Anything else it throws fails the test. */
async function unlessRefused<T>(judge: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await judge();
  } catch (error) {
    expect(isAuthError(error) && error.code).toBe('evidence_unverified');
    return undefined;
  }
}

describe('mutants', () => {
  it('of PKCS#7 values are refused or say the same', async () => {
    const dice = createDice(SEED);
    const encodings: readonly Encoding[] = [1, 2, 3, 4, 5];
    const originals = encodings.map((encoding) => instance.pkcs7Der({ encoding }));
    let accepted = 0;
    for (let left = 3000; left > 0; left -= 1) {
      const mutant = mutateBer(dice.pick(originals), dice);
      const verified = await unlessRefused(() => verifyBytes(mutant, trustStore));
      if (verified === undefined) continue;
      accepted += 1;
      expect(verified).toMatchObject(fields);
    }
    expect(accepted).toBeGreaterThan(100);
    expect(accepted).toBeLessThan(2000);
  });

  it('of documents are refused by their signature, and parsed without one only where they are documents', async () => {
    const dice = createDice(SEED);
    for (let left = 1000; left > 0; left -= 1) {
      const mutant = mutateBytes(documentBytes, dice);
      const parsed = await unlessRefused(() => parseIdentityDocument(mutant));
      if (parsed !== undefined) expect(Object.values(parsed).every((value) => typeof value === 'string')).toBe(true);
      const verified = await unlessRefused(() => verifyPair(mutant, signature, trustStore));
      if (verified !== undefined) expect(mutant).toEqual(documentBytes);
    }
  });
});

it('random bytes are refused', async () => {
  const dice = createDice(SEED);
  for (let left = 1000; left > 0; left -= 1) {
    const bytes = dice.bytes(dice.roll(200));
    expect(await unlessRefused(() => verifyBytes(bytes, trustStore))).toBeUndefined();
    expect(await unlessRefused(() => parseIdentityDocument(bytes))).toBeUndefined();
  }
});
