/** Certificates (CERT-6): signed with SHA-1 is refused unless another trusted certificate has the same key. */
import { describe, expect, it } from 'vitest';
import { registered, rsaSpki, SIGNED_WITH } from '../../../test/certificates.js';
import { trustBuiltIn } from './certificate-built-in.js';
import { createTrustStore, type Sha1Verdict, sha1Verdict } from './trust-store.js';

const weak = registered({ spki: rsaSpki('a'), signedWith: SIGNED_WITH.sha1Rsa }, 'identity', 'weak');
const weakToo = registered({ spki: rsaSpki('a'), signedWith: SIGNED_WITH.sha1Rsa, issuer: 'x' }, 'identity', 'weak2');
const strong = registered({ spki: rsaSpki('a') }, 'identity', 'strong');
const strongOfOtherType = registered({ spki: rsaSpki('a') }, 'pkcs7', 'strong-pkcs7');
const strongOfOtherKey = registered({ spki: rsaSpki('b') }, 'identity', 'other');

describe('sha1Verdict', () => {
  it.each<[string, typeof weak, readonly (typeof weak)[], boolean, Sha1Verdict]>([
    ['a better digest', strong, [strong], false, 'not_sha1'],
    ['a better digest, SHA-1 allowed', strong, [strong], true, 'not_sha1'],
    ['SHA-1, nothing else', weak, [weak], false, 'refused'],
    ['SHA-1, nothing else, not even itself', weak, [], false, 'refused'],
    ['SHA-1, another SHA-1 one with the key', weak, [weak, weakToo], false, 'refused'],
    ['SHA-1, a better one with another key', weak, [weak, strongOfOtherKey], false, 'refused'],
    ['SHA-1, a better one with the key', weak, [weak, strong], false, 'same_key'],
    ['SHA-1, a better one with the key, of the other type', weak, [weak, strongOfOtherType], false, 'same_key'],
    ['SHA-1, allowed', weak, [weak], true, 'allowed'],
    ['SHA-1, allowed, a better one with the key', weak, [weak, strong], true, 'same_key'],
  ])('for %s', (_, certificate, trusted, allowSha1Signatures, verdict) => {
    expect(sha1Verdict(certificate, trusted, allowSha1Signatures)).toBe(verdict);
    const store = createTrustStore({ builtIn: [], registered: trusted, allowSha1Signatures });
    expect(store.sha1Verdict(certificate)).toBe(verdict);
    expect(store.isRefusedAsSha1(certificate)).toBe(verdict === 'refused');
    expect(store.allowSha1Signatures).toBe(allowSha1Signatures);
  });

  it('considers built-in and registered certificates together', () => {
    const builtIn = trustBuiltIn([{ pem: weak.pem, type: 'identity', regions: ['me-central-1'] }]);
    const [certificate] = builtIn;
    const verdict = (registeredOnes: readonly (typeof weak)[]) =>
      certificate && createTrustStore({ builtIn, registered: registeredOnes }).sha1Verdict(certificate);
    expect(verdict([])).toBe('refused');
    expect(verdict([strong])).toBe('same_key');
  });

  it('is strict where nothing is said', () => {
    const store = createTrustStore({ builtIn: [], registered: [weak] });
    expect(store.allowSha1Signatures).toBe(false);
    expect(store.isRefusedAsSha1(weak)).toBe(true);
  });
});
