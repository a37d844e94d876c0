/**
 * The attack vectors (THREAT-1 to THREAT-7, THREAT-10, THREAT-12; THREAT-8 and THREAT-9 are Wycheproof's): the manifest's
 * verdict on each, and the step that refuses it.
 */
import { describe, expect, it } from 'vitest';
import { trusted, trusting, verifyText } from '../../../test/evidence.js';
import { dataFolder, readDataText } from '../../../test/real-documents.js';
import { refusalOf } from '../../../test/refusal.js';
import { builtInCertificates } from './certificate-built-in.js';

interface Vector {
  readonly name: string;
  readonly expect: string;
  readonly why: string;
  /** Absent: the built-in certificates. */
  readonly trust?: string;
}

/** Which step refuses; the manifest says only that one must. */
const REASONS: Readonly<Record<string, string>> = {
  '02': 'cms_signed_attributes_missing',
  '03': 'message_digest_mismatch',
  '04': 'message_digest_mismatch',
  '05': 'cms_no_signer',
  '06': 'cms_trailing_bytes',
  '07': 'signature_mismatch',
  '08': 'cms_many_signers',
  '09': 'cms_many_signers',
  '10': 'signature_mismatch',
  '11': 'cms_signed_attributes_missing',
  '12': 'cms_no_signer',
  '21': 'cms_message_digest_missing',
  '22': 'cms_content_type_missing',
  '23': 'message_digest_mismatch',
  '24': 'sha1_signature_refused',
  '25': 'cms_content_type_mismatch',
  '26': 'document_json_duplicate_key',
  '27': 'document_json_forbidden_key',
  '28': 'document_json_syntax',
  '29': 'document_not_object',
  '30': 'document_instance_id_invalid',
};

/** What each vector is about. `00` and `01` are one genuine document in BER and in DER, which P6 wants accepted. */
const THREATS: Readonly<Record<string, string>> = {
  '00': 'P6',
  '01': 'P6',
  '02': 'P1',
  '03': 'P2',
  '04': 'P2',
  '05': 'P5',
  '06': 'P6',
  '07': 'P4',
  '08': 'P5',
  '09': 'P5',
  '10': 'P3',
  '11': 'P4',
  '12': 'P4',
  '20': 'none',
  '21': 'P7',
  '22': 'P7',
  '23': 'P7',
  '24': 'P10',
  '25': 'P7',
  '26': 'P12',
  '27': 'P12',
  '28': 'P12',
  '29': 'P12',
  '30': 'P12',
};

describe.skipIf(dataFolder === undefined)('attack vectors', () => {
  const vectors: readonly Vector[] =
    dataFolder === undefined ? [] : JSON.parse(readDataText('attack-vectors', 'manifest.json'));
  const trustOf = ({ trust }: Vector, options = {}) =>
    trust === undefined
      ? trusting(builtInCertificates(), options)
      : trusting([trusted(readDataText('attack-vectors', 'evil-cert.pem'), 'pkcs7')], options);
  const textOf = ({ name }: Vector) => readDataText('attack-vectors', `${name}.b64`).trim();

  it('are twenty-four', () => {
    expect(vectors).toHaveLength(24);
  });

  it.each(vectors.map((vector) => [vector.name, THREATS[vector.name.slice(0, 2)], vector.expect, vector] as const))(
    '%s, threat %s: %s',
    async (name, threat, verdict, vector) => {
      expect(threat).toBeDefined();
      const judged = await refusalOf(() => verifyText(textOf(vector), trustOf(vector)));
      // "accept without polluting …, or reject" and "reject (or take neither)" leave the choice: Postern refuses.
      const expected = verdict === 'accept' ? 'accepted' : REASONS[name.slice(0, 2)];
      expect(judged).toBe(expected);
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
  );

  it('the SHA-1 one (p7-004) is accepted when SHA-1 is allowed, and no other changes', async () => {
    for (const vector of vectors) {
      const [strict, allowing] = await Promise.all([
        refusalOf(() => verifyText(textOf(vector), trustOf(vector))),
        refusalOf(() => verifyText(textOf(vector), trustOf(vector, { allowSha1Signatures: true }))),
      ]);
      expect(allowing).toBe(vector.name === '24-test-root-sha1' ? 'accepted' : strict);
    }
  });
});
