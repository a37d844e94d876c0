/** Which role is assumed for the instances of another account (ASSOC-1, ASSOC-4, ASSOC-3, THREAT-28). */
import * as z from 'zod';
import { AuthError } from '../errors.js';
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
import type { StsAssociation } from './records.js';

const PATH = 'config/sts/:account_id';

const stsFields = z.object({
  sts_role: described(textField, 'ARN of the role to assume for the account. Required for a new association.'),
  external_id: described(textField, 'External id to assume it with; empty for none.'),
});

const stsOutput = z.object({ sts_role: z.string(), external_id: z.string().optional() });

/** As the provider bounds it. The text is not judged here: whether it names a role that can be assumed, only STS knows. */
const MAX_ROLE_ARN_CHARACTERS = 2048;

/** As STS takes it. */
const EXTERNAL_ID = /^[\w+=,.@:/-]{2,1224}$/;

export function createStsOperations(context: MethodContext) {
  const { options, collections } = context;
  const kind: RecordKind<StsAssociation, Shown<typeof stsOutput>> = {
    collection: collections.stsAssociations,
    idOf: (params) => requireName(params, 'account_id'),
    // Left out if it is not set, as the specification shows it.
    toWire: ({ stsRole, externalId }) => ({ sts_role: stsRole, ...(externalId !== '' && { external_id: externalId }) }),
  };
  return [
    defineOperation({
      id: 'config.sts.write',
      summary: 'Associate an account with the role to assume for it',
      verb: 'write',
      scope: 'mount',
      path: PATH,
      access: 'management',
      fields: stsFields,
      exists: existsIn(kind),
      async handle(request) {
        const accountId = kind.idOf(request.params);
        if (isMistypedAccount(accountId)) throw invalid('account_id', 'an account id of 12 digits');
        const decide = (stored: StsAssociation | undefined) => decideStsWrite(stored, request.fields);
        await updateRecord(kind, accountId, decide, request);
        options.onProviderConfigChange();
        return {};
      },
    }),
    readOperation(
      {
        id: 'config.sts.read',
        summary: 'Read the association of an account',
        path: PATH,
        output: stsOutput,
      },
      kind,
    ),
    listOperation(
      { id: 'config.sts.list', summary: 'List the accounts that have an association', path: 'config/sts' },
      kind,
    ),
    deleteOperation(
      { id: 'config.sts.delete', summary: 'Delete the association of an account', path: PATH },
      kind,
      options.onProviderConfigChange,
    ),
  ];
}

/** One digit too few or too many is a slip of the finger (THREAT-28); other names are kept, no proof will carry them. */
function isMistypedAccount(accountId: string): boolean {
  return /^(\d{11}|\d{13})$/.test(accountId);
}

function decideStsWrite(stored: StsAssociation | undefined, fields: z.output<typeof stsFields>): StsAssociation {
  const stsRole = fields.sts_role ?? stored?.stsRole;
  if (stsRole === undefined) {
    throw new AuthError('field_missing', 'sts_role: required', { details: { field: 'sts_role' } });
  }
  if (stsRole === '' || stsRole.length > MAX_ROLE_ARN_CHARACTERS) {
    throw invalid('sts_role', `the ARN of a role, at most ${MAX_ROLE_ARN_CHARACTERS} characters`);
  }
  const externalId = fields.external_id ?? stored?.externalId ?? '';
  if (externalId !== '' && !EXTERNAL_ID.test(externalId)) {
    throw invalid('external_id', '2 to 1224 letters, digits and +=,.@:/-_');
  }
  return { stsRole, externalId };
}

function invalid(field: string, expected: string): AuthError {
  return new AuthError('field_invalid', `${field}: must be ${expected}`, { details: { field, expected } });
}
