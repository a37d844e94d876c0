/** What every part of the auth method is made from: the ports, the options with their defaults, and the typed collections. */
import { newestFormat, type Sealer, type WriteFormat } from '@postern/kernel';
import { type AccessListEntry, accessListEntrySchema } from './access-list/entry.js';
import {
  type CertificateConfig,
  type ClientConfig,
  certificateConfigSchema,
  clientConfigSchema,
  type StsAssociation,
  stsAssociationSchema,
  type TidyConfig,
  tidyConfigSchema,
} from './config/records.js';
import { isHeaderName } from './evidence/caller-identity/header-forms.js';
import { type UsedRequest, usedRequestSchema } from './login/used-request.js';
import { type RotationState, rotationStateSchema } from './maintenance/rotation-state.js';
import type { AuthOptions, BuiltInCertificate, ResolvedAuthPorts } from './options.js';
import type { PathTemplates } from './policies/matchable-pattern.js';
import { createPolicyBook, type PolicyBook, type StoredPolicy, storedPolicySchema } from './policies/policy-book.js';
import { type DenyListEntry, denyListEntrySchema } from './role-tags/role-tag.js';
import { type Role, roleSchema } from './roles/role.js';
import {
  type Collection,
  createCollection,
  createSealedCollection,
  type RecordStore,
  type SealedCollection,
} from './store/collection.js';
import { type AuditKey, auditKeySchema, type BatchKeyRing, batchKeyRingSchema } from './store/key-records.js';
import { createMethodSealer } from './store/method-sealer.js';
import { type IdentityConfig, identityConfigSchema } from './tokens/alias.js';
import { type TokenRecord, tokenRecordSchema } from './tokens/token-record.js';

/** `AuthOptions` with every default filled in. */
export interface ResolvedAuthOptions {
  readonly mountPath: string;
  readonly storagePrefix: string;
  readonly recordFormat: WriteFormat;
  readonly defaultTtlSeconds: number;
  readonly maxTtlSeconds: number;
  readonly allowSha1Signatures: boolean;
  /** Undefined: as the transport's clients call it. */
  readonly iamServerIdHeaderName: string | undefined;
  readonly refuseReplays: boolean;
  /** Undefined: as old as STS takes it. */
  readonly maxSignedRequestAgeSeconds: number | undefined;
  readonly renewalAnswerSeconds: number;
  /** Undefined: the certificates that ship with the package. */
  readonly builtInCertificates: readonly BuiltInCertificate[] | undefined;
  readonly auditNode: string | undefined;
  readonly onProviderConfigChange: () => void;
  readonly onRewrap: () => Promise<number>;
}

/** Where everything is kept. Singletons have fixed ids: `CLIENT_CONFIG_ID`, `IDENTITY_CONFIG_ID`. */
export interface Collections {
  /** By folded name. */
  readonly roles: SealedCollection<Role>;
  readonly clientConfig: SealedCollection<ClientConfig>;
  readonly identityConfig: Collection<IdentityConfig>;
  /** By name; case matters. */
  readonly certificates: Collection<CertificateConfig>;
  /** By account id. */
  readonly stsAssociations: Collection<StsAssociation>;
  /** By `TidyTarget`. */
  readonly tidyConfigs: Collection<TidyConfig>;
  /** By instance id; written with `expiresAt`. */
  readonly accessList: Collection<AccessListEntry>;
  /** By digest of the role tag; written with `expiresAt`. */
  readonly denyList: Collection<DenyListEntry>;
  /** One record. */
  readonly batchKeys: SealedCollection<BatchKeyRing>;
  /** One record. */
  readonly auditKeys: SealedCollection<AuditKey>;
  /** One record. */
  readonly rotations: SealedCollection<RotationState>;
  /** By accessor; written with `expiresAt`. */
  readonly tokens: Collection<TokenRecord>;
  /** Signed requests that logged in (STS-16), by SHA-256 of the signature; written with `expiresAt`. */
  readonly usedRequests: Collection<UsedRequest>;
  /** By folded name. */
  readonly policies: Collection<StoredPolicy>;
}

export interface MethodContext {
  readonly ports: ResolvedAuthPorts;
  readonly options: ResolvedAuthOptions;
  readonly collections: Collections;
  /** Decides management calls where the host gives no Authorizer. */
  readonly policyBook: PolicyBook;
  readonly sealer: Sealer;
}

/** Below it lies everything the method keeps. */
export const DEFAULT_STORAGE_PREFIX = 'postern/auth/';

/** 768 h (TOKEN-2). */
export const DEFAULT_MOUNT_TTL_SECONDS = 768 * 60 * 60;

/**
 * @throws TypeError for an invalid option: a mount path with slashes at the ends, a storage prefix without
 *   one at its end, an invalid server-ID header name, a lifetime that is not a positive whole number, a default
 *   lifetime above the maximum.
 * @param policyPaths paths that patterns of policies can match.
 */
export function createMethodContext(
  ports: ResolvedAuthPorts,
  options: AuthOptions = {},
  policyPaths: () => PathTemplates = () => options.policyPaths ?? [],
): MethodContext {
  const resolved = resolveOptions(options);
  const sealer = createMethodSealer(ports, resolved.storagePrefix, resolved.recordFormat);
  const collections = createCollections({ ports, options: resolved, sealer });
  const policyBook = createPolicyBook(collections.policies, policyPaths);
  return { ports, options: resolved, sealer, collections, policyBook };
}

/** The typed collections of a method. */
export function createCollections(store: RecordStore): Collections {
  return {
    roles: createSealedCollection(store, 'roles/', roleSchema, ['hmacKey']),
    clientConfig: createSealedCollection(store, 'config/', clientConfigSchema, ['secretKey']),
    identityConfig: createCollection(store, 'config/', identityConfigSchema),
    certificates: createCollection(store, 'certificates/', certificateConfigSchema),
    stsAssociations: createCollection(store, 'sts-associations/', stsAssociationSchema),
    tidyConfigs: createCollection(store, 'tidy-configs/', tidyConfigSchema),
    accessList: createCollection(store, 'access-list/', accessListEntrySchema),
    denyList: createCollection(store, 'deny-list/', denyListEntrySchema),
    batchKeys: createSealedCollection(store, 'batch-keys/', batchKeyRingSchema, ['keys.*.key']),
    auditKeys: createSealedCollection(store, 'audit/', auditKeySchema, ['key']),
    rotations: createSealedCollection(store, 'rotation/', rotationStateSchema, ['newSecretKey']),
    tokens: createCollection(store, 'tokens/', tokenRecordSchema),
    usedRequests: createCollection(store, 'used-requests/', usedRequestSchema),
    policies: createCollection(store, 'policies/', storedPolicySchema),
  };
}

function resolveOptions(options: AuthOptions): ResolvedAuthOptions {
  const mountPath = options.mountPath ?? 'auth/cloud';
  const storagePrefix = options.storagePrefix ?? DEFAULT_STORAGE_PREFIX;
  const { iamServerIdHeaderName } = options;
  const maxTtlSeconds = options.maxTtlSeconds ?? DEFAULT_MOUNT_TTL_SECONDS;
  const defaultTtlSeconds = options.defaultTtlSeconds ?? Math.min(DEFAULT_MOUNT_TTL_SECONDS, maxTtlSeconds);
  if (!/^[\w.-]+(?:\/[\w.-]+)*$/.test(mountPath))
    throw new TypeError('mountPath: path segments joined by single slashes');
  if (!storagePrefix.endsWith('/')) throw new TypeError('storagePrefix: must end with a slash');
  if (iamServerIdHeaderName !== undefined && !isHeaderName(iamServerIdHeaderName)) {
    throw new TypeError('iamServerIdHeaderName: the name of a header');
  }
  for (const [name, value] of Object.entries({ defaultTtlSeconds, maxTtlSeconds })) {
    if (!Number.isSafeInteger(value) || value <= 0) throw new TypeError(`${name}: a positive whole number of seconds`);
  }
  const { renewalAnswerSeconds = 10 } = options;
  if (!Number.isSafeInteger(renewalAnswerSeconds) || renewalAnswerSeconds < 0) {
    throw new TypeError('renewalAnswerSeconds: a whole number of seconds, or 0');
  }
  const { maxSignedRequestAgeSeconds: age } = options;
  if (age !== undefined && !(Number.isSafeInteger(age) && age >= 1 && age <= 900)) {
    throw new TypeError('maxSignedRequestAgeSeconds: a whole number of seconds from 1 to 900');
  }
  if (defaultTtlSeconds > maxTtlSeconds) throw new TypeError('defaultTtlSeconds: must not exceed maxTtlSeconds');
  return {
    mountPath,
    storagePrefix,
    recordFormat: options.recordFormat ?? newestFormat,
    defaultTtlSeconds,
    maxTtlSeconds,
    allowSha1Signatures: options.allowSha1Signatures ?? false,
    iamServerIdHeaderName,
    refuseReplays: options.refuseReplays ?? false,
    maxSignedRequestAgeSeconds: age,
    renewalAnswerSeconds,
    builtInCertificates: options.builtInCertificates,
    auditNode: options.auditNode,
    onProviderConfigChange: options.onProviderConfigChange ?? (() => undefined),
    onRewrap: options.onRewrap ?? (async () => 0),
  };
}
