/** Registering, reading, listing and deleting trusted certificates (CERT-1 to CERT-3). */

import { lowerAscii } from '@postern/kernel';
import * as z from 'zod';
import { AuthError } from '../errors.js';
import type { ParsedCertificate } from '../evidence/identity-document/certificate.js';
import { described, requireName, textField } from '../fields/fields.js';
import type { MethodContext } from '../method-context.js';
import { defineOperation, type Shown } from '../operation.js';
import {
  deleteOperation,
  existsIn,
  listOperation,
  type RecordKind,
  readOperation,
  updateRecord,
} from './record-operations.js';
import { CERTIFICATE_TYPES, type CertificateConfig } from './records.js';
import { createCertificateMark } from './trust-store-loader.js';

const PATH = 'config/certificate/:cert_name';

const certificateFields = z.object({
  cloud_public_cert: described(textField, 'The certificate: PEM text, or base64 of it. Required.'),
  type: described(textField, '`pkcs7` (default) or `identity`.'),
});

const certificateOutput = z.object({ cloud_public_cert: z.string(), type: z.enum(CERTIFICATE_TYPES) });

/** The built-in certificates have no names: they are not listed, and cannot be read or deleted here. */
export function createCertificateOperations(context: MethodContext) {
  const alongside = [createCertificateMark(context).put];
  const kind: RecordKind<CertificateConfig, Shown<typeof certificateOutput>> = {
    collection: context.collections.certificates,
    idOf: (params) => requireName(params, 'cert_name'),
    toWire: ({ pem, type }) => ({ cloud_public_cert: pem, type }),
    alongside,
  };
  return [
    defineOperation({
      id: 'config.certificate.write',
      summary: 'Register a certificate to trust',
      verb: 'write',
      scope: 'mount',
      path: PATH,
      access: 'management',
      fields: certificateFields,
      exists: existsIn(kind),
      async handle(request) {
        const { parseCertificate } = await import('../evidence/identity-document/certificate-parser.js');
        const decide = (stored: CertificateConfig | undefined) =>
          decideCertificateWrite(stored, request.fields, parseCertificate);
        const id = kind.idOf(request.params);
        await updateRecord(kind, id, decide, request, alongside);
        return {};
      },
    }),
    readOperation(
      {
        id: 'config.certificate.read',
        summary: 'Read a registered certificate',
        path: PATH,
        output: certificateOutput,
      },
      kind,
    ),
    deleteOperation({ id: 'config.certificate.delete', summary: 'Delete a registered certificate', path: PATH }, kind),
    listOperation(
      {
        id: 'config.certificate.list',
        summary: 'List the names of registered certificates',
        path: 'config/certificates',
      },
      kind,
    ),
  ];
}

/** A certificate comes with every write, the type only where it is new or changes. */
function decideCertificateWrite(
  stored: CertificateConfig | undefined,
  fields: z.output<typeof certificateFields>,
  parseCertificate: (text: string | undefined) => ParsedCertificate,
): CertificateConfig {
  const type = fields.type === undefined ? (stored?.type ?? 'pkcs7') : certificateType(fields.type);
  return { type, pem: parseCertificate(fields.cloud_public_cert).pem };
}

function certificateType(sent: string): CertificateConfig['type'] {
  const type = CERTIFICATE_TYPES.find((known) => known === lowerAscii(sent));
  if (type !== undefined) return type;
  throw new AuthError('certificate_type_invalid', `type: must be one of ${CERTIFICATE_TYPES.join(', ')}`, {
    details: { field: 'type' },
  });
}
