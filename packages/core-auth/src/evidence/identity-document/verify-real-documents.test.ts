/** Documents signed by AWS against the built-in AWS certificates (DOC-2, DOC-9, DOC-10): as published, and with bits flipped. */
import { describe, expect, it } from 'vitest';
import { trusting, verifyBytes, verifyPair, verifyText } from '../../../test/evidence.js';
import { dataFolder, readData, readDataText, realPairs, realPkcs7 } from '../../../test/real-documents.js';
import { refusalOf } from '../../../test/refusal.js';
import { builtInCertificates } from './certificate-built-in.js';
import { parseCms } from './cms-signed-data.js';

const absent = dataFolder === undefined;
const byDefault = trusting(builtInCertificates());
const allowingSha1 = trusting(builtInCertificates(), { allowSha1Signatures: true });

/** For each bit of the bytes, or one of each byte: its number, and a copy with it flipped. */
function* withBitsFlipped(
  bytes: Uint8Array,
  which: 'every bit' | 'one of each byte',
): Generator<[bit: number, flipped: Uint8Array]> {
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    if (which !== 'every bit' && (bit & 7) !== (bit >> 3) % 8) continue;
    const flipped = bytes.slice();
    const at = bit >> 3;
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (bit & 7));
    yield [bit, flipped];
  }
}

/** Where a part of a value stands in it. */
function rangeOf(part: Uint8Array, whole: Uint8Array): [from: number, to: number] {
  const from = Buffer.from(whole).indexOf(part);
  expect(from).toBeGreaterThanOrEqual(0);
  return [from, from + part.length];
}

describe.skipIf(absent)('PKCS#7 documents of AWS', () => {
  const documents = realPkcs7().map((document) => [`${document.sample}/${document.kind}`, document] as const);

  it('are seven: three rsa2048 and four pkcs7', () => {
    expect(documents.filter(([, { kind }]) => kind === 'rsa2048')).toHaveLength(3);
    expect(documents.filter(([, { kind }]) => kind === 'pkcs7')).toHaveLength(4);
  });

  it.each(documents)('%s verifies by default exactly when it is RSA', async (_name, { kind, text }) => {
    const verdict = await refusalOf(() => verifyText(text, byDefault));
    expect(verdict).toBe(kind === 'rsa2048' ? 'accepted' : 'sha1_signature_refused');
  });

  it.each(documents)('%s gives the fields of its document', async (_name, { text, bytes, document }) => {
    const { instanceId, imageId, accountId, region, pendingTime } = JSON.parse(new TextDecoder().decode(document));
    const verified = await verifyText(text, allowingSha1);
    expect(verified).toMatchObject({ instanceId, imageId, accountId, region, pendingTime });
    expect(verified.proof.certificate).toContain(region);
    expect(parseCms(bytes).content).toEqual(document);
  });

  it.each(documents)(
    '%s fails with any bit of content, attributes or signature flipped',
    async (_name, { bytes, kind }) => {
      const { content, signer } = parseCms(bytes);
      const [attributesFrom, attributesTo] = rangeOf(signer.signedAttributes.der.subarray(1), bytes);
      const signed = [
        rangeOf(content, bytes),
        [attributesFrom - 1, attributesTo],
        rangeOf(signer.signature, bytes),
      ] as const;
      const proven = await verifyBytes(bytes, allowingSha1);
      const accepted: number[] = [];
      for (const [bit, flipped] of withBitsFlipped(bytes, 'every bit')) {
        if ((await refusalOf(() => verifyBytes(flipped, allowingSha1))) !== 'accepted') continue;
        accepted.push(bit >> 3);
        expect(await verifyBytes(flipped, allowingSha1)).toEqual(proven);
      }
      expect(accepted.filter((at) => signed.some(([from, to]) => from <= at && at < to))).toEqual([]);
      // Elsewhere one bit may fall without any effect: the one between the names dsaWithSHA1 and plain DSA of the signature
      // algorithm, which the oldest encoding does not sign and which name the same with the signer's digest.
      expect(accepted).toHaveLength(kind === 'pkcs7' ? 1 : 0);
    },
  );
});

describe.skipIf(absent)('documents of AWS with a detached signature', () => {
  const pairs = realPairs().map((pair) => [pair.sample, pair] as const);

  it('are three', () => {
    expect(pairs).toHaveLength(3);
  });

  it.each(pairs)('%s verifies by default and gives its fields', async (_name, { document, signature }) => {
    const { instanceId, imageId, accountId, region, pendingTime } = JSON.parse(new TextDecoder().decode(document));
    const verified = await verifyPair(document, signature, byDefault);
    expect(verified).toMatchObject({ instanceId, imageId, accountId, region, pendingTime });
    expect(verified.proof.certificate).toContain(region);
  });

  it.each(pairs)(
    '%s fails with a bit of any byte of document or signature flipped',
    async (_name, { document, signature }) => {
      for (const [, flipped] of withBitsFlipped(document, 'one of each byte')) {
        expect(await refusalOf(() => verifyPair(flipped, signature, byDefault))).toBe('signature_mismatch');
      }
      for (const [, flipped] of withBitsFlipped(new Uint8Array(Buffer.from(signature, 'base64')), 'one of each byte')) {
        const text = Buffer.from(flipped).toString('base64');
        expect(await refusalOf(() => verifyPair(document, text, byDefault))).toBe('signature_mismatch');
      }
    },
  );

  it('the two published negatives fail', async () => {
    const sample = 'taskcluster-worker-manager';
    const document = readData('iid-samples', sample, 'document');
    const signature = readDataText('iid-samples', sample, 'signature');
    const badDocument = readData('iid-samples', sample, 'document_bad');
    const badSignature = readDataText('iid-samples', sample, 'signature_badsignature');
    expect(await refusalOf(() => verifyPair(badDocument, signature, byDefault))).toBe('signature_mismatch');
    expect(await refusalOf(() => verifyPair(document, badSignature, byDefault))).toBe('signature_mismatch');
  });
});
