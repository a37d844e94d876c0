/** The member `storage` of the configuration file: one SQLite file, or one PostgreSQL database or DynamoDB table for any number of nodes. */
import { resolve } from 'node:path';
import type * as z from 'zod';
import { flag, section, text, whole } from '../config/members.js';

const CONNECTION = ['host', 'port', 'database', 'user', 'passwordFile', 'tls', 'caFile'] as const;
const MAX_TIMEOUT_MS = 3_600_000;
/** Half of the 10 minutes in which DynamoDB carries a repeated commit out once. */
const MAX_DYNAMODB_TIMEOUT_MS = 300_000;
const startWait = whole('a number of seconds from 0 to 3600', 0, 3_600);
const milliseconds = whole('a number of milliseconds from 100 to 3600000', 100, MAX_TIMEOUT_MS);

/** Passwords stand in a file, in the environment or in the URL; there is no member to write one to. */
export const postgresSection = section({
  url: text('a URL such as "postgres://postern@db.internal/postern?sslmode=verify-full"')
    .regex(/^postgres(?:ql)?:\/\//, 'expected a URL that begins with postgres://')
    .optional(),
  host: text('a host, or the folder of a Unix socket').optional(),
  port: whole('a port from 1 to 65535', 1, 65_535).optional(),
  database: text('the name of a database').optional(),
  user: text('the name of a user').optional(),
  passwordFile: text('the path of a file that holds the password').optional(),
  tls: flag.optional(),
  caFile: text('the path of a certificate in PEM').optional(),
  schema: text('the name of a schema')
    .regex(/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/, 'expected small letters, digits and "_", such as "postern"')
    .optional(),
  maxConnections: whole('a whole number from 1 to 1000', 1, 1_000).optional(),
  statementTimeoutMs: milliseconds.optional(),
  connectTimeoutMs: milliseconds.optional(),
  startWaitSeconds: startWait.optional(),
})
  .refine(({ url, ...rest }) => url === undefined || CONNECTION.every((name) => rest[name] === undefined), {
    error: `expected either url or ${CONNECTION.join(', ')}`,
  })
  .refine(({ tls, caFile }) => tls !== false || caFile === undefined, {
    path: ['caFile'],
    error: 'expected only where tls is not false',
  });

/** Credentials come from the SDK's chain; there is no member to write one to. */
export const dynamodbSection = section({
  table: text('the name or the ARN of a table').regex(
    /^(?:arn:[a-z0-9-]+:dynamodb:[a-z0-9-]+:\d{12}:table\/)?[A-Za-z0-9_.-]{3,255}$/,
    'expected 3 to 255 letters, digits, "_", "." and "-", or an ARN',
  ),
  region: text('a region such as "eu-west-1"').optional(),
  endpoint: text('a URL such as "https://dynamodb.eu-west-1.amazonaws.com"')
    .regex(/^https?:\/\/[^@]+$/, 'expected a URL that begins with https:// and has no credentials')
    .optional(),
  requestTimeoutMs: whole('a number of milliseconds from 100 to 300000', 100, MAX_DYNAMODB_TIMEOUT_MS).optional(),
  timeoutMs: whole('a number of milliseconds from 100 to 300000', 100, MAX_DYNAMODB_TIMEOUT_MS).optional(),
  startWaitSeconds: startWait.optional(),
});

const KINDS = ['file', 'postgres', 'dynamodb'] as const;

export const storageSection = section({
  file: text('the path of the database file').optional(),
  postgres: postgresSection.optional(),
  dynamodb: dynamodbSection.optional(),
}).refine((storage) => KINDS.filter((kind) => storage[kind] !== undefined).length === 1, {
  error: 'expected either file, postgres or dynamodb',
});

export type PostgresConfig = Readonly<z.infer<typeof postgresSection>>;
export type DynamodbConfig = Readonly<z.infer<typeof dynamodbSection>>;

/** Exactly one of them. */
export type StorageConfig =
  | { readonly file: string; readonly postgres?: undefined; readonly dynamodb?: undefined }
  | { readonly file?: undefined; readonly postgres: PostgresConfig; readonly dynamodb?: undefined }
  | { readonly file?: undefined; readonly postgres?: undefined; readonly dynamodb: DynamodbConfig };

/** Paths made absolute from the folder of the configuration file. @param checked has passed `storageSection`. */
export function resolveStorage(
  { file, postgres, dynamodb }: Readonly<z.infer<typeof storageSection>>,
  directory: string,
): StorageConfig {
  if (dynamodb !== undefined) return { dynamodb };
  if (postgres === undefined) return { file: resolve(directory, file ?? '') };
  const { passwordFile, caFile } = postgres;
  return {
    postgres: {
      ...postgres,
      ...(passwordFile === undefined ? {} : { passwordFile: resolve(directory, passwordFile) }),
      ...(caFile === undefined ? {} : { caFile: resolve(directory, caFile) }),
    },
  };
}
