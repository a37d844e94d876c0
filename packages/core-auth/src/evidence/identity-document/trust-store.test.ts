/** Who may sign (DOC-5, THREAT-4, THREAT-11, case p7-013). */

import { encodeUtf8 } from '@postern/kernel';
import { describe, expect, it } from 'vitest';
import { certificatePem, dsaSpki, registered, rsaSpki } from '../../../test/certificates.js';
import { builtInCertificates, trustBuiltIn } from './certificate-built-in.js';
import { createTrustStore } from './trust-store.js';

const serial = Uint8Array.of(7, 7);
const built = (key: string, issuer: string, type: 'pkcs7' | 'identity' = 'pkcs7') =>
  ({ pem: certificatePem({ spki: rsaSpki(key), issuer, serial }), type, regions: ['us-west-2'] }) as const;
const [builtIn] = trustBuiltIn([built('built-in', 'provider')]);
if (builtIn === undefined) throw new Error('no certificate');
const { issuerDer, serialDer } = builtIn;

const mine = (key: string, parts: { issuer?: string; serial?: Uint8Array } = {}, name = 'mine') =>
  registered({ spki: rsaSpki(key), issuer: 'provider', serial, ...parts }, 'pkcs7', name);

describe('findPkcs7Signer', () => {
  const find = (...certificates: readonly ReturnType<typeof mine>[]) =>
    createTrustStore({ builtIn: [builtIn], registered: certificates }).findPkcs7Signer(issuerDer, serialDer);

  it('finds the built-in certificate alone where a registered one borrows its issuer and serial', () => {
    expect(find(mine('other'))).toEqual([builtIn]);
  });

  it('finds a registered one with the same key after the built-in one, free of regions', () => {
    const copy = mine('built-in');
    expect(find(copy)).toEqual([builtIn, copy]);
    expect(find(copy)[1]).not.toHaveProperty('regions');
  });

  it('finds all registered ones of an issuer and serial that no built-in one has', () => {
    const [one, other] = [mine('one', {}, 'a'), mine('other', {}, 'b')];
    const store = createTrustStore({ builtIn: [], registered: [one, other] });
    expect(store.findPkcs7Signer(issuerDer, serialDer)).toEqual([one, other]);
  });

  it.each([
    ['another issuer', encodeUtf8('issuer'), serialDer],
    ['another serial', issuerDer, Uint8Array.of(7)],
    ['a serial with a zero before it', issuerDer, Uint8Array.of(0, 7, 7)],
    ['an issuer cut short', issuerDer.subarray(0, -1), serialDer],
    ['an issuer with a byte more', Uint8Array.of(...issuerDer, 0), serialDer],
    ['nothing', new Uint8Array(), new Uint8Array()],
  ])('finds nothing for %s', (_, issuer, serialNumber) => {
    const store = createTrustStore({ builtIn: [builtIn], registered: [mine('other', { issuer: 'x' })] });
    expect(store.findPkcs7Signer(issuer, serialNumber)).toEqual([]);
  });

  it('tells certificates of one serial apart by issuer', () => {
    const other = mine('other', { issuer: 'other' });
    const store = createTrustStore({ builtIn: [builtIn], registered: [other] });
    expect(store.findPkcs7Signer(issuerDer, serialDer)).toEqual([builtIn]);
    expect(store.findPkcs7Signer(other.issuerDer, other.serialDer)).toEqual([other]);
  });

  it('finds no certificate of type identity, built-in or registered', () => {
    const identity = registered({ issuer: 'provider', serial }, 'identity');
    const store = createTrustStore({
      builtIn: trustBuiltIn([built('built-in', 'provider', 'identity')]),
      registered: [identity],
    });
    expect(store.findPkcs7Signer(issuerDer, serialDer)).toEqual([]);
  });

  it('finds every built-in pkcs7 certificate by its own issuer and serial', () => {
    const store = createTrustStore({ builtIn: builtInCertificates(), registered: [] });
    for (const certificate of builtInCertificates()) {
      const found = store.findPkcs7Signer(certificate.issuerDer, certificate.serialDer);
      expect(found).toEqual(certificate.kind === 'rsa' ? [] : [certificate]);
    }
  });
});

describe('identityCandidates', () => {
  it('has one built-in certificate for each key of the rsa set', () => {
    const candidates = createTrustStore({ builtIn: builtInCertificates(), registered: [] }).identityCandidates();
    expect(candidates.map(({ kind }) => kind)).toEqual(new Array(18).fill('rsa'));
  });

  it('puts registered ones last, and keeps one that has a built-in key', () => {
    const provider = trustBuiltIn([built('built-in', 'provider', 'identity')]);
    const copy = registered({ spki: rsaSpki('built-in') }, 'identity', 'copy');
    const own = registered({ spki: rsaSpki('own') }, 'identity', 'own');
    const again = registered({ spki: rsaSpki('own'), issuer: 'again' }, 'identity', 'again');
    const store = createTrustStore({ builtIn: provider, registered: [copy, own, again] });
    expect(store.identityCandidates()).toEqual([...provider, copy, own]);
  });

  it('leaves out type pkcs7 and DSA keys, which make no such signature', () => {
    const dsa = registered({ spki: dsaSpki() }, 'identity');
    const store = createTrustStore({ builtIn: [builtIn], registered: [mine('other'), dsa] });
    expect(store.identityCandidates()).toEqual([]);
  });
});
