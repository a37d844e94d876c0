/**
 * The one catalogue: every operation of the registry once; routes and documents are made from it (REGAPI-1). Paths of the
 * specification are its own, the others continue them. Schemas speak the domain's names: wire forms are the transport's.
 */
import type { RegistryAction } from '@postern/ports';
import type { z } from 'zod';
import { deprecationInput, historyQuery, moduleQuery, rangeInput, revocationInput } from './input/schemas.js';
import {
  accessOutput,
  commandOutput,
  deprecateOutput,
  grantOutput,
  historyOutput,
  moduleListOutput,
  moduleViewOutput,
  moduleViewsOutput,
  rangeOutput,
  statusesOutput,
  statusOutput,
  versionListOutput,
} from './output/schemas.js';

/** An operation as a transport needs to know it. */
export interface RegistryOperation {
  /** Stable, and the name in audit events: `registry.version.deprecate`. */
  readonly id: OperationId;
  readonly summary: string;
  readonly verb: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `:name` matches one segment. Several operations may share verb and path: the body tells them apart. */
  readonly path: string;
  readonly action: RegistryAction;
  /** What the caller sends, by the domain's names; absent where nothing is. */
  readonly input?: z.ZodType;
  /** What is answered, by the domain's names; absent where it is bytes. */
  readonly output?: z.ZodType;
}

const READ = '/api/registry/v1/modules';
const MODULE = ':organization_name/:module_name/:module_provider';
const VERSION = `${MODULE}/:module_version`;
const MANAGED = `/api/v2/organizations/:organization_name/registry-modules/private`;

export const OPERATIONS = [
  {
    id: 'registry.version.deprecate',
    summary: 'Deprecate a module version, or replace the notice of a deprecated one',
    verb: 'PATCH',
    path: `${MANAGED}/${VERSION}`,
    action: 'manage',
    input: deprecationInput,
    output: deprecateOutput,
  },
  {
    id: 'registry.version.reinstate',
    summary: 'Revert the deprecation of a module version',
    verb: 'PATCH',
    path: `${MANAGED}/${VERSION}`,
    action: 'manage',
    output: commandOutput,
  },
  {
    id: 'registry.version.revoke',
    summary: 'Block new downloads of a deprecated module version',
    verb: 'PATCH',
    path: `${MANAGED}/${VERSION}`,
    action: 'manage',
    input: revocationInput,
    output: commandOutput,
  },
  {
    id: 'registry.version.unrevoke',
    summary: 'Allow downloads of a revoked module version again; it stays deprecated',
    verb: 'PATCH',
    path: `${MANAGED}/${VERSION}`,
    action: 'manage',
    output: commandOutput,
  },
  {
    id: 'registry.module.deprecate-range',
    summary: 'Deprecate every version that a constraint names, or tell which those are',
    verb: 'POST',
    path: `${MANAGED}/${MODULE}/deprecations`,
    action: 'manage',
    input: rangeInput,
    output: rangeOutput,
  },
  {
    id: 'registry.version.publish',
    summary: 'Publish a module version: its archive is the body',
    verb: 'PUT',
    path: `${MANAGED}/${VERSION}`,
    action: 'manage',
  },
  {
    id: 'registry.version.delete',
    summary: 'Delete a module version and its archive; its history stays',
    verb: 'DELETE',
    path: `${MANAGED}/${VERSION}`,
    action: 'manage',
  },
  {
    id: 'registry.version.history',
    summary: 'Read who changed the state of a module version, when and why',
    verb: 'GET',
    path: `${READ}/${VERSION}/history`,
    action: 'read',
    input: historyQuery,
    output: historyOutput,
  },
  {
    id: 'registry.version.status',
    summary: 'Read whether a module version is deprecated or revoked',
    verb: 'GET',
    path: `${READ}/${VERSION}/status`,
    action: 'read',
    output: statusOutput,
  },
  {
    id: 'registry.version.statuses',
    summary: 'Read whether module versions are deprecated or revoked, many at once',
    verb: 'POST',
    path: `${READ}/statuses`,
    action: 'read',
    output: statusesOutput,
  },
  {
    id: 'registry.access',
    summary: 'Read what the caller may do with the modules of an organization',
    verb: 'GET',
    path: '/api/v2/organizations/:organization_name/registry-access',
    action: 'read',
    output: accessOutput,
  },
  {
    id: 'registry.module.list',
    summary: 'List or search modules',
    verb: 'GET',
    path: READ,
    action: 'read',
    input: moduleQuery,
    output: moduleListOutput,
  },
  {
    id: 'registry.module.latest-by-provider',
    summary: 'Read the latest version of a module for each provider',
    verb: 'GET',
    path: `${READ}/:organization_name/:module_name`,
    action: 'read',
    output: moduleViewsOutput,
  },
  {
    id: 'registry.module.latest',
    summary: 'Read the latest version of a module',
    verb: 'GET',
    path: `${READ}/${MODULE}`,
    action: 'read',
    output: moduleViewOutput,
  },
  {
    id: 'registry.module.versions',
    summary: 'List all versions of a module',
    verb: 'GET',
    path: `${READ}/${MODULE}/versions`,
    action: 'read',
    output: versionListOutput,
  },
  {
    id: 'registry.version.read',
    summary: 'Read one module version',
    verb: 'GET',
    path: `${READ}/${VERSION}`,
    action: 'read',
    output: moduleViewOutput,
  },
  {
    id: 'registry.version.download',
    summary: 'Ask for the address of the archive of a module version',
    verb: 'GET',
    path: `${READ}/${VERSION}/download`,
    action: 'read',
    output: grantOutput,
  },
  {
    id: 'registry.version.archive',
    summary: 'Download the archive of a module version by a signed address',
    verb: 'GET',
    path: `${READ}/${VERSION}/:archive_file`,
    action: 'read',
  },
] as const satisfies readonly (Omit<RegistryOperation, 'id'> & { readonly id: string })[];

/** Ids of the catalogue. */
export type OperationId = (typeof OPERATIONS)[number]['id'];
