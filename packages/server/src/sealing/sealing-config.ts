/** The member `sealing`: what protects the secrets in storage. docs/server.md describes it. */
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import { section, text } from '../config/members.js';
import type { StorageConfig } from '../storage/storage-config.js';

const awsKms = section({
  keyId: text('id, ARN or alias of a symmetric KMS key'),
  region: text('a region such as "eu-west-1"').optional(),
});
const place = {
  keyFile: text('the path of a key file').optional(),
  awsKms: awsKms.optional(),
};
const EITHER = 'expected either keyFile or awsKms';
const isOne = ({ keyFile, awsKms: kms }: { keyFile?: unknown; awsKms?: unknown }) =>
  (keyFile === undefined) !== (kms === undefined);

const former = section(place).refine(isOne, EITHER);
const sealingSection = section({ ...place, former: z.array(former, { error: 'expected a list' }).optional() });

export const sealingMember = z.union([z.literal('none'), sealingSection.refine(isOne, EITHER)], {
  error: 'expected "none" or an object of keyFile or awsKms, and former',
});

export interface KeyPlace {
  readonly keyFile?: string | undefined;
  readonly awsKms?: { readonly keyId: string; readonly region?: string | undefined } | undefined;
}

/** `none`: in plain text. Otherwise what wraps, then what wrapped before a change. */
export type SealingConfig = 'none' | readonly [KeyPlace, ...KeyPlace[]];

/** Where nothing is configured: a key file beside the database file, or beside the configuration. */
export function resolveSealing(
  sealing: z.infer<typeof sealingMember> | undefined,
  storage: StorageConfig,
  directory: string,
): SealingConfig {
  if (sealing === 'none') return 'none';
  const absolute = ({ keyFile, awsKms: kms }: KeyPlace): KeyPlace =>
    keyFile === undefined ? { awsKms: kms } : { keyFile: resolve(directory, keyFile) };
  if (sealing === undefined) {
    return [{ keyFile: join(storage.file === undefined ? directory : dirname(storage.file), 'postern.key') }];
  }
  return [absolute(sealing), ...(sealing.former ?? []).map(absolute)];
}
