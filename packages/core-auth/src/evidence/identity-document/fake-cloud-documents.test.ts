/** The documents that the fake cloud makes, judged by the verifier: every genuine encoding in, every forgery out (DOC-2, DOC-3). */
import { createHash, createPublicKey, verify } from 'node:crypto';
import type { Digest, SignatureVerifier } from '@postern/ports';
import { createFakeCloud, createManualClock, type Encoding, type Pkcs7Options } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { isAuthError } from '../../errors.js';
import { parseCertificate } from './certificate-parser.js';
import { createTrustStore } from './trust-store.js';
import { verifyIdentitySignature } from './verify-identity-signature.js';
import { verifyPkcs7 } from './verify-pkcs7.js';

const signedAt = Date.UTC(2026, 1, 16, 0, 38, 27);
const cloud = createFakeCloud({
  clock: createManualClock(signedAt),
  seed: 'verified',
  region: 'us-west-2',
  regions: ['eu-west-1'],
});
const instance = cloud.launchInstance();

const digest: Digest = { digest: (name, data) => new Uint8Array(createHash(name).update(data).digest()) };
const verifier: SignatureVerifier = {
  supports: () => true,
  verify: (algorithm, spki, data, signature) => {
    const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
    return verify(algorithm.slice(algorithm.indexOf('-') + 1), data, key, signature);
  },
};
const builtIn = cloud
  .defaultCertificates()
  .map(({ pem, type, regions }) => ({ ...parseCertificate(pem), type, regions }));
const trustStore = (allowSha1Signatures: boolean) => createTrustStore({ builtIn, registered: [], allowSha1Signatures });
const judge = (pkcs7: string, allowSha1 = true) =>
  verifyPkcs7({ pkcs7, trustStore: trustStore(allowSha1), verifier, digest, now: signedAt });

async function reasonOf(judged: Promise<unknown>): Promise<string | undefined> {
  try {
    await judged;
    return 'accepted';
  } catch (error) {
    if (!isAuthError(error)) throw error;
    expect(error.code).toBe('evidence_unverified');
    return error.reason;
  }
}

const encodings: readonly Encoding[] = [1, 2, 3, 4, 5];
const genuine = encodings.flatMap((encoding): Pkcs7Options[] => [
  { encoding },
  { encoding, form: 'der' },
  { encoding, chunkBytes: 100 },
  { encoding, embedCertificates: ['genuine'] },
  { encoding, embedCertificates: ['imposter', 'genuine'], form: 'der' },
]);

describe('a genuine document of the fake cloud', () => {
  it.each(genuine)('is verified and read: %j', async (options) => {
    expect(await judge(instance.pkcs7(options))).toMatchObject({
      instanceId: instance.instanceId,
      imageId: instance.imageId,
      accountId: instance.accountId,
      region: 'us-west-2',
      pendingTime: instance.pendingTime,
      proof: { method: 'pkcs7', signingTime: signedAt },
    });
  });

  it.each(encodings)('passes without SHA-1 only when signed with RSA: encoding %i', async (encoding) => {
    const reason = await reasonOf(judge(instance.pkcs7({ encoding }), false));
    expect(reason === 'accepted').toBe(encoding >= 3);
  });

  it('is verified as served, in all three forms', async () => {
    const served = instance.identityDocument();
    expect((await judge(served.rsa2048)).proof.signatureAlgorithm).toBe('rsa-sha256');
    expect((await judge(served.pkcs7)).proof.signatureAlgorithm).toBe('dsa-sha1');
    const evidence = { identity: served.documentBase64, signature: served.signature };
    const proven = await verifyIdentitySignature({ ...evidence, trustStore: trustStore(false), verifier });
    expect([proven.instanceId, proven.proof.method]).toEqual([instance.instanceId, 'identity']);
  });
});

const forgeries: readonly (readonly [reason: string, forgery: Pkcs7Options])[] = [
  ['signature_mismatch', { corruptSignature: true }],
  ['signature_mismatch', { signers: ['imposter'] }],
  ['signature_mismatch', { signers: ['imposter'], embedCertificates: ['imposter'] }],
  ['cms_no_signer', { signers: [] }],
  ['cms_many_signers', { signers: ['genuine', 'genuine'] }],
  ['cms_many_signers', { signers: ['imposter', 'genuine'] }],
  ['cms_signed_attributes_missing', { signedAttributes: false }],
  ['cms_content_type_missing', { omitAttributes: ['contentType'] }],
  ['cms_content_type_mismatch', { contentTypeAttribute: '1.2.840.113549.1.7.2' }],
  ['cms_message_digest_missing', { omitAttributes: ['messageDigest'] }],
  ['cms_attribute_duplicate', { repeatAttributes: ['messageDigest'] }],
  ['cms_attribute_duplicate', { repeatAttributes: ['contentType'] }],
  ['message_digest_mismatch', { messageDigest: new Uint8Array(32) }],
  ['message_digest_mismatch', { shownContent: new TextEncoder().encode('{}') }],
  ['cms_not_data', { contentType: '1.2.840.113549.1.7.2' }],
  ['cms_detached', { detached: true }],
  ['cms_digest_not_listed', { digestAlgorithms: [] }],
  ['cms_trailing_bytes', { trailingBytes: Uint8Array.of(0) }],
  ['signer_unknown', { serialNumber: Uint8Array.of(1) }],
  ['region_certificate_mismatch', { signingRegion: 'eu-west-1' }],
  ['region_certificate_mismatch', { fields: { region: 'eu-west-1' } }],
  ['signing_time_outside_validity', { signingTime: Date.UTC(1969, 11, 31) }],
  ['signing_time_outside_validity', { signingTime: Date.UTC(2196, 0, 1) }],
  ['document_json_syntax', { content: 'not JSON' }],
  ['document_instance_id_invalid', { fields: { instanceId: undefined } }],
  ['document_account_id_invalid', { fields: { accountId: 111122223333 } }],
];

describe('a forged document of the fake cloud', () => {
  it.each(forgeries)('is refused as %s in every encoding and form: %j', async (reason, forgery) => {
    for (const encoding of encodings) {
      expect(await reasonOf(judge(instance.pkcs7({ ...forgery, encoding })))).toBe(reason);
      expect(await reasonOf(judge(instance.pkcs7({ ...forgery, encoding, form: 'der' })))).toBe(reason);
    }
  });

  it.each([
    ['a second message digest', '1.2.840.113549.1.9.4', Uint8Array.of(4, 1, 0)],
    ['a second signing time', '1.2.840.113549.1.9.5', new TextEncoder().encode('\x17\x0d260216003829Z')],
  ])('is refused with %s of another value', async (_, type, value) => {
    const pkcs7 = instance.pkcs7({ extraAttributes: [{ type, values: [value] }] });
    expect(await reasonOf(judge(pkcs7))).toBe('cms_attribute_duplicate');
  });

  it('is refused as a document with a signature, when another key or region made it', async () => {
    const { document, documentBase64 } = instance.identityDocument();
    const judgeSigned = (signature: string) =>
      reasonOf(
        verifyIdentitySignature({ identity: documentBase64, signature, trustStore: trustStore(false), verifier }),
      );
    expect(await judgeSigned(cloud.signIdentity(document))).toBe('accepted');
    expect(await judgeSigned(cloud.signIdentity(document, { holder: 'imposter' }))).not.toBe('accepted');
    expect(await judgeSigned(cloud.signIdentity(document, { region: 'eu-west-1' }))).not.toBe('accepted');
    expect(await judgeSigned(cloud.signIdentity(`${document}\n`))).not.toBe('accepted');
  });
});
