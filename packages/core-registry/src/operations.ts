/**
 * The catalogue: every operation of the registry once, with the right it needs and what it takes and answers. Routes,
 * OpenAPI and reference are made from it (REGAPI-1). Schemas use the domain's names; paths and wire names are the transport's.
 */
import type { RegistryAction } from '@postern/ports';
import type * as z from 'zod';
import { deprecationInput, historyQuery, moduleQuery, rangeInput, revocationInput } from './input/schemas.js';
import {
  accessOutput,
  commandOutput,
  deprecateOutput,
  grantOutput,
  historyOutput,
  moduleListingsOutput,
  moduleListOutput,
  moduleViewOutput,
  rangeOutput,
  statusesOutput,
  statusOutput,
  versionListOutput,
} from './output-schemas.js';

export interface RegistryOperation {
  readonly summary: string;
  /** The right it needs in the namespace. Success of a `manage` operation is always recorded in the audit trail. */
  readonly action: RegistryAction;
  /** What the caller sends; absent where the address says it all, or where it is bytes. */
  readonly input?: z.ZodType;
  /** What is answered; absent where it is nothing, or bytes. */
  readonly output?: z.ZodType;
}

/** By id, which is also the name in audit events. */
export const OPERATIONS = {
  'registry.version.deprecate': {
    summary: 'Deprecate a module version, or replace the notice of a deprecated one',
    action: 'manage',
    input: deprecationInput,
    output: deprecateOutput,
  },
  'registry.version.reinstate': {
    summary: 'Revert the deprecation of a module version',
    action: 'manage',
    output: commandOutput,
  },
  'registry.version.revoke': {
    summary: 'Block new downloads of a deprecated module version',
    action: 'manage',
    input: revocationInput,
    output: commandOutput,
  },
  'registry.version.unrevoke': {
    summary: 'Allow downloads of a revoked module version again; it stays deprecated',
    action: 'manage',
    output: commandOutput,
  },
  'registry.module.deprecate-range': {
    summary: 'Deprecate every version that a constraint matches, or list them in a dry run',
    action: 'manage',
    input: rangeInput,
    output: rangeOutput,
  },
  'registry.version.publish': {
    summary: 'Publish a module version: its archive is the body',
    action: 'manage',
  },
  'registry.version.delete': {
    summary: 'Delete a module version and its archive; its history stays',
    action: 'manage',
  },
  'registry.version.history': {
    summary: 'Read who changed the state of a module version, when and why',
    action: 'read',
    input: historyQuery,
    output: historyOutput,
  },
  'registry.version.status': {
    summary: 'Read whether a module version is deprecated or revoked',
    action: 'read',
    output: statusOutput,
  },
  'registry.version.statuses': {
    summary: 'Read whether module versions are deprecated or revoked, many at once',
    action: 'read',
    output: statusesOutput,
  },
  'registry.access': {
    summary: 'Read what the caller may do with the modules of an organization',
    action: 'read',
    output: accessOutput,
  },
  'registry.module.list': {
    summary: 'List or search modules',
    action: 'read',
    input: moduleQuery,
    output: moduleListOutput,
  },
  'registry.module.latest-by-provider': {
    summary: 'Read the latest version of a module for each provider',
    action: 'read',
    output: moduleListingsOutput,
  },
  'registry.module.latest': {
    summary: 'Read the latest version of a module',
    action: 'read',
    output: moduleViewOutput.extend({ list: versionListOutput }),
  },
  'registry.module.versions': {
    summary: 'List all versions of a module',
    action: 'read',
    output: versionListOutput,
  },
  'registry.version.read': {
    summary: 'Read one module version',
    action: 'read',
    output: moduleViewOutput,
  },
  'registry.version.download': {
    summary: 'Get the address of the archive of a module version',
    action: 'read',
    output: grantOutput,
  },
  'registry.version.archive': {
    summary: 'Download the archive of a module version by a signed address',
    action: 'read',
  },
} as const satisfies Readonly<Record<string, RegistryOperation>>;

/** Ids of the catalogue. */
export type OperationId = keyof typeof OPERATIONS;
