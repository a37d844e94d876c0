/** The PKCS#7 proof (DOC-3, DOC-5, DOC-9, THREAT-2, THREAT-4, THREAT-10, THREAT-11): which key, which algorithm, when, for which region. */
import { createFakeCloud, createManualClock, type Pkcs7Options } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { crypto, trusted, trusting, verifyBytes, verifyText } from '../../../test/evidence.js';
import { refusalOf } from '../../../test/refusal.js';
import { createTrustStore, type TrustStore } from './trust-store.js';
import { verifyPkcs7 } from './verify-pkcs7.js';

const SIGNED_AT = Date.UTC(2026, 1, 16, 0, 38, 28);
const SECOND = 1000;
const region = 'eu-north-1';
const cloud = createFakeCloud({ clock: createManualClock(SIGNED_AT), seed: 'pkcs7', region });
const instance = cloud.launchInstance();
const rsa = trusted(cloud.certificates().pkcs7Rsa2048, 'pkcs7', [region]);
const dsa = trusted(cloud.certificates().pkcs7Dsa, 'pkcs7', [region]);
const store = trusting([rsa, dsa]);
const sha1Store = trusting([rsa, dsa], { allowSha1Signatures: true });
const imposter = trusted(cloud.issueCertificate({ kind: 'pkcs7-rsa2048', holder: 'imposter' }), 'pkcs7', [region]);

const verdict = (options: Pkcs7Options, trustStore: TrustStore = store, now?: number) =>
  refusalOf(() => verifyBytes(instance.pkcs7Der(options), trustStore, now));

describe('a genuine document', () => {
  it('gives the fields that were signed, and how they were proven', async () => {
    expect(await verifyText(instance.pkcs7(), store)).toEqual({
      instanceId: instance.instanceId,
      imageId: instance.imageId,
      accountId: instance.accountId,
      region,
      pendingTime: instance.pendingTime,
      proof: {
        method: 'pkcs7',
        signatureAlgorithm: 'rsa-sha256',
        signingTime: SIGNED_AT,
        certificate: `pkcs7 ${region}`,
      },
    });
  });

  it('names a registered certificate by its name, a built-in one by kind and regions', async () => {
    const labelOf = async (trustStore: TrustStore) =>
      (await verifyText(instance.pkcs7(), trustStore)).proof.certificate;
    const { regions: _, ...anyRegion } = rsa;
    expect(await labelOf(trusting([{ ...anyRegion, name: 'our-own' }]))).toBe('our-own');
    expect(await labelOf(trusting([{ ...rsa, kind: 'rsa2048' }]))).toBe(`rsa2048 ${region}`);
    expect(await labelOf(trusting([anyRegion]))).toBe('pkcs7');
  });

  it('costs one digest and one signature check', async () => {
    crypto.calls = 0;
    await verifyText(instance.pkcs7(), store);
    expect(crypto.calls).toBe(1);
  });
});

it('is judged alike by ports that answer later, as WebCrypto does', async () => {
  const later = {
    supports: crypto.supports,
    verify: async (...check: Parameters<typeof crypto.verify>) => crypto.verify(...check),
    digest: async (...data: Parameters<typeof crypto.digest>) => crypto.digest(...data),
  };
  const judge = (options: Pkcs7Options) =>
    refusalOf(() => verifyPkcs7({ pkcs7: instance.pkcs7(options), trustStore: store, verifier: later, digest: later }));
  expect(await judge({})).toBe('accepted');
  expect(await judge({ corruptSignature: true })).toBe('signature_mismatch');
  expect(await judge({ messageDigest: new Uint8Array(32) })).toBe('message_digest_mismatch');
});

describe('the text', () => {
  const text = Buffer.from(instance.pkcs7Der()).toString('base64');
  const lines = (separator: string) => (text.match(/.{1,64}/g) ?? []).join(separator);
  it.each([
    ['in one line', text, 'accepted'],
    ['with LF', lines('\n'), 'accepted'],
    ['with CRLF and a last line break', `${lines('\r\n')}\r\n`, 'accepted'],
    ['with spaces', lines(' '), 'pkcs7_not_base64'],
    ['in PEM armour', `-----BEGIN PKCS7-----\n${lines('\n')}\n-----END PKCS7-----\n`, 'pkcs7_not_base64'],
    ['in the URL alphabet', text.replaceAll('+', '-').replaceAll('/', '_'), 'pkcs7_not_base64'],
    ['with further padding', `${text}====`, 'pkcs7_not_base64'],
    ['in two pieces', `${text}${text}`, 'not accepted'],
    ['empty', '', 'ber_truncated'],
    ['over the bound', 'A'.repeat(98_305), 'pkcs7_too_large'],
    ['at the bound of text, over that of bytes', 'A'.repeat(98_304), 'cms_too_large'],
  ])('%s', async (_name, given, expected) => {
    const reason = await refusalOf(() => verifyText(given, store));
    if (expected === 'not accepted') expect(reason).not.toBe('accepted');
    else expect(reason).toBe(expected);
  });
});

describe('the signer', () => {
  it('must be trusted, and is not by being embedded (p7-003)', async () => {
    expect(await verdict({}, trusting([]))).toBe('signer_unknown');
    expect(await verdict({ embedCertificates: ['genuine'] }, trusting([]))).toBe('signer_unknown');
    expect(await verdict({}, trusting([dsa]))).toBe('signer_unknown');
    expect(await verdict({}, trusting([{ ...rsa, type: 'identity' }]))).toBe('signer_unknown');
    expect(await verdict({ serialNumber: Uint8Array.of(1) })).toBe('signer_unknown');
  });

  it('must have signed: an embedded certificate of its name brings no key (P4)', async () => {
    expect(await verdict({ signers: ['imposter'], embedCertificates: ['imposter'] })).toBe('signature_mismatch');
    expect(await verdict({ corruptSignature: true })).toBe('signature_mismatch');
    expect(await verdict({ embedCertificates: ['imposter'] })).toBe('accepted');
  });

  it('may be any of several trusted under one name', async () => {
    expect(await verdict({}, trusting([imposter, rsa]))).toBe('accepted');
    expect(await verdict({ signers: ['imposter'] }, trusting([rsa, imposter]))).toBe('accepted');
  });

  it('uses the algorithms of its key (P10)', async () => {
    // A DSA certificate under the RSA one's name: the message's RSA algorithms are not for its key.
    const dsaUnderRsaName = { ...dsa, serialDer: rsa.serialDer };
    crypto.calls = 0;
    expect(await verdict({}, trusting([dsaUnderRsaName]))).toBe('key_type_mismatch');
    expect(crypto.calls).toBe(0);
    expect(await verdict({}, trusting([dsaUnderRsaName, rsa]))).toBe('accepted');
  });

  it('is refused where the surroundings do not know its algorithm', async () => {
    const rsaOnly = { ...crypto, supports: (algorithm: string) => algorithm.startsWith('rsa-') };
    const pkcs7 = instance.pkcs7({ encoding: 2 });
    const judge = () => verifyPkcs7({ pkcs7, trustStore: sha1Store, verifier: rsaOnly, digest: crypto });
    expect(await refusalOf(judge)).toBe('signature_algorithm_unsupported');
  });
});

describe('SHA-1 (DOC-9)', () => {
  it.each([1, 2] as const)('refuses the DSA document of encoding %i unless allowed', async (encoding) => {
    expect(await verdict({ encoding })).toBe('sha1_signature_refused');
    expect(await verdict({ encoding }, sha1Store)).toBe('accepted');
  });

  it('refuses a certificate signed with it unless another with its key is not', async () => {
    const pem = cloud.issueCertificate({ kind: 'pkcs7-rsa2048', digest: 'sha1' });
    const weak = trusted(pem, 'pkcs7', [region]);
    const elsewhere = { ...rsa, serialDer: Uint8Array.of(1) };
    expect(await verdict({}, trusting([weak]))).toBe('sha1_certificate_refused');
    expect(await verdict({}, trusting([weak, elsewhere]))).toBe('accepted');
    expect(await verdict({}, trusting([weak], { allowSha1Signatures: true }))).toBe('accepted');
  });
});

describe('the content (P2, P7)', () => {
  it.each([
    ['is not what was digested', { shownContent: new TextEncoder().encode('{}') }],
    ['has another digest than the attribute says', { messageDigest: new Uint8Array(32) }],
    ['has a digest attribute of no octets', { messageDigest: new Uint8Array(0) }],
    ['has a digest attribute that is only a beginning', { messageDigest: new Uint8Array(31) }],
  ] satisfies [string, Pkcs7Options][])('is refused when it %s', async (_name, options) => {
    crypto.calls = 0;
    expect(await verdict(options)).toBe('message_digest_mismatch');
    expect(crypto.calls).toBe(0);
  });

  it('is refused when it is signed but no document', async () => {
    expect(await verdict({ content: 'not JSON' })).toBe('document_json_syntax');
    expect(await verdict({ fields: { accountId: 692406183521 } })).toBe('document_account_id_invalid');
  });
});

describe('the signing time', () => {
  const valid = (notBefore: number, notAfter: number) => trusting([{ ...rsa, notBefore, notAfter }]);
  it.each([
    ['at the start of validity', 0, 10, 'accepted'],
    ['at its end', -10, 0, 'accepted'],
    ['a second before it', 1, 10, 'signing_time_outside_validity'],
    ['a second after it', -10, -1, 'signing_time_outside_validity'],
  ])('%s', async (_name, from, to, expected) => {
    expect(await verdict({}, valid(SIGNED_AT + from * SECOND, SIGNED_AT + to * SECOND))).toBe(expected);
  });

  it('when absent is now, and without a now there is no proof of validity', async () => {
    const options: Pkcs7Options = { omitAttributes: ['signingTime'] };
    const trustStore = valid(SIGNED_AT, SIGNED_AT + SECOND);
    expect(await verdict(options, trustStore, SIGNED_AT)).toBe('accepted');
    expect(await verdict(options, trustStore, SIGNED_AT + 2 * SECOND)).toBe('signing_time_outside_validity');
    expect(await verdict(options, trustStore)).toBe('signing_time_missing');
  });
});

describe('the region (P11)', () => {
  it('must be one that the key signs for', async () => {
    expect(await verdict({ fields: { region: 'us-east-1' } })).toBe('region_certificate_mismatch');
    const both = trusting([{ ...rsa, regions: ['us-east-1', region] }]);
    expect(await verdict({ fields: { region: 'us-east-1' } }, both)).toBe('accepted');
  });

  it('may be any for a certificate that is bound to none, also beside a bound one', async () => {
    const registered = { ...rsa, name: 'any region' };
    const { regions: _, ...unbound } = registered;
    const trustStore = createTrustStore({ builtIn: [rsa], registered: [unbound] });
    expect(await verdict({ fields: { region: 'us-east-1' } }, trustStore)).toBe('accepted');
  });
});
