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

/** What each vector is about. `00` and `01` are one genuine document in BER and in DER, which THREAT-6 wants accepted. */
const THREATS: Readonly<Record<string, string>> = {
  '00': 'THREAT-6',
  '01': 'THREAT-6',
  '02': 'THREAT-1',
  '03': 'THREAT-2',
  '04': 'THREAT-2',
  '05': 'THREAT-5',
  '06': 'THREAT-6',
  '07': 'THREAT-4',
  '08': 'THREAT-5',
  '09': 'THREAT-5',
  '10': 'THREAT-3',
  '11': 'THREAT-4',
  '12': 'THREAT-4',
  '20': 'none',
  '21': 'THREAT-7',
  '22': 'THREAT-7',
  '23': 'THREAT-7',
  '24': 'THREAT-10',
  '25': 'THREAT-7',
  '26': 'THREAT-12',
  '27': 'THREAT-12',
  '28': 'THREAT-12',
  '29': 'THREAT-12',
  '30': 'THREAT-12',
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
