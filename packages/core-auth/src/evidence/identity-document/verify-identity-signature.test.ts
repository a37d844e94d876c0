/** The document with its detached signature (DOC-11, CERT-6, THREAT-11, THREAT-13; case p7-021). */
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { createFakeCloud, createManualClock } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { crypto, trusted, trusting, verifyPair } from '../../../test/evidence.js';
import { refusalOf } from '../../../test/refusal.js';
import { verifyIdentitySignature } from './verify-identity-signature.js';

const region = 'eu-north-1';
const cloud = createFakeCloud({ clock: createManualClock(Date.UTC(2026, 1, 16)), seed: 'identity', region });
const instance = cloud.launchInstance();
const { document, signature } = instance.identityDocument();
const certificate = trusted(cloud.certificates().identityRsa, 'identity', [region]);
const store = trusting([certificate]);
const bytes = (text: string) => new TextEncoder().encode(text);
const verdict = (text: string, signed = signature, trustStore = store) =>
  refusalOf(() => verifyPair(bytes(text), signed, trustStore));

it('gives the fields that were signed, and how they were proven', async () => {
  expect(await verifyPair(bytes(document), signature, store)).toEqual({
    instanceId: instance.instanceId,
    imageId: instance.imageId,
    accountId: instance.accountId,
    region,
    pendingTime: instance.pendingTime,
    proof: {
      method: 'identity',
      signatureAlgorithm: 'rsa-sha256',
      signingTime: undefined,
      certificate: `identity ${region}`,
    },
  });
});

describe('the exact bytes count (P13)', () => {
  it.each([
    ['a line break at the end', (text: string) => `${text}\n`],
    ['CRLF', (text: string) => text.replaceAll('\n', '\r\n')],
    ['another indentation', (text: string) => JSON.stringify(JSON.parse(text), undefined, 4)],
    ['a byte order mark', (text: string) => `\ufeff${text}`],
    ['another account', (text: string) => text.replace(instance.accountId, '999999999999')],
    ['nothing', () => ''],
  ])('%s is refused', async (_name, change) => {
    expect(await verdict(change(document))).toBe('signature_mismatch');
  });
});

describe('one dialect of base64 (P13)', () => {
  const identity = Buffer.from(document).toString('base64');
  const oneLine = signature.replaceAll('\n', '');
  it.each([
    ['as served', identity, signature, 'accepted'],
    ['signature in one line', identity, oneLine, 'accepted'],
    ['signature with CRLF', identity, signature.replaceAll('\n', '\r\n'), 'accepted'],
    ['signature with spaces', identity, signature.replaceAll('\n', ' '), 'signature_not_base64'],
    ['signature without padding', identity, oneLine.replaceAll('=', ''), 'signature_not_base64'],
    ['signature empty', identity, '', 'signature_mismatch'],
    ['signature over the bound', identity, 'A'.repeat(1537), 'signature_too_large'],
    ['identity with a line break', `${identity}\n`, signature, 'identity_not_base64'],
    ['identity in the URL alphabet', `${identity.slice(0, -4)}-_-_`, signature, 'identity_not_base64'],
    ['identity over the bound', 'A'.repeat(21_849), signature, 'identity_too_large'],
    ['identity empty', '', signature, 'signature_mismatch'],
  ])('%s', async (_name, given, signed, expected) => {
    const evidence = { identity: given, signature: signed, trustStore: store, verifier: crypto };
    expect(await refusalOf(() => verifyIdentitySignature(evidence))).toBe(expected);
  });
});

describe('the key', () => {
  const own = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const spki = new Uint8Array(own.publicKey.export({ type: 'spki', format: 'der' }));
  const ownStore = trusting([{ ...certificate, spki }]);
  const signedBy = (digest: string) =>
    sign(digest, bytes(document), createPrivateKey(own.privateKey.export({ type: 'pkcs8', format: 'pem' }))).toString(
      'base64',
    );

  it('signs with SHA-256 and nothing else, whatever is allowed (p7-021)', async () => {
    const allowing = trusting([{ ...certificate, spki }], { allowSha1Signatures: true });
    expect(await verdict(document, signedBy('sha256'), ownStore)).toBe('accepted');
    for (const digest of ['sha1', 'sha384', 'sha512', 'md5']) {
      expect(await verdict(document, signedBy(digest), allowing)).toBe('signature_mismatch');
    }
  });

  it('must be trusted for this kind of proof', async () => {
    expect(await verdict(document, cloud.signIdentity(document, { holder: 'imposter' }))).toBe('signature_mismatch');
    expect(await verdict(document, signature, trusting([]))).toBe('signature_mismatch');
    expect(await verdict(document, signature, trusting([{ ...certificate, type: 'pkcs7' }]))).toBe(
      'signature_mismatch',
    );
  });

  it('is found among many, and a signature of another length is tried against none', async () => {
    const others = Array.from({ length: 3 }, () => {
      const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
      return { ...certificate, spki: new Uint8Array(publicKey.export({ type: 'spki', format: 'der' })) };
    });
    const many = trusting([...others, certificate]);
    expect(await verdict(document, signature, many)).toBe('accepted');
    crypto.calls = 0;
    expect(await verdict(document, Buffer.alloc(256).toString('base64'), many)).toBe('signature_mismatch');
    expect(crypto.calls).toBe(0);
  });

  it('of a certificate signed with SHA-1 is refused unless allowed (CERT-6)', async () => {
    const weak = trusted(cloud.issueCertificate({ kind: 'identity-rsa', digest: 'sha1' }), 'identity', [region]);
    expect(await verdict(document, signature, trusting([weak]))).toBe('signature_mismatch');
    expect(await verdict(document, signature, trusting([weak], { allowSha1Signatures: true }))).toBe('accepted');
  });
});

it('a document of a region that the key does not sign for is refused (P11)', async () => {
  const elsewhere = document.replace(`"${region}"`, '"us-east-1"');
  expect(await verdict(elsewhere, cloud.signIdentity(elsewhere))).toBe('region_certificate_mismatch');
});

it('what is signed but no document is refused', async () => {
  for (const text of ['not JSON', '[]', '{}']) {
    expect(await verdict(text, cloud.signIdentity(text))).toMatch(/^document_/);
  }
});
