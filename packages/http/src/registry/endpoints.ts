/**
 * Every path of the registry, once (REGAPI-1, MODULE-2, MODULE-3, MODULE-6): routes, OpenAPI and reference are made from
 * this table. Operations themselves are in core-registry's catalogue; here is only how HTTP spells them.
 */
import type { OperationId } from '@postern/core-registry';
import type { RegistrySchemaName } from './openapi-schemas.js';

export const MANAGED_PREFIX = '/api/v2';
/** Where Terraform finds the services of a host. */
export const DISCOVERY_PATH = '/.well-known/terraform.json';
export const MODULES_PATH = '/api/registry/v1/modules';

/** `:name` stands for one segment. Managed paths name their organization twice (REGAPI-1). */
const MANAGED_MODULE = `${MANAGED_PREFIX}/organizations/:organization_name/registry-modules/private/:organization_again/:module_name/:module_provider`;
const MANAGED_VERSION = `${MANAGED_MODULE}/:module_version`;
const ORGANIZATION = `${MODULES_PATH}/:organization_name`;
const MODULE = `${ORGANIZATION}/:module_name/:module_provider`;
const VERSION = `${MODULE}/:module_version`;

const PAGE = ['offset', 'limit', 'provider'] as const;
const ARCHIVE_QUERY = ['expires', 'overlay', 'signature'] as const;

export interface Endpoint {
  /** Of the catalogue: gives the summary. */
  readonly operation?: OperationId;
  /** Where there is no operation: the path belongs to HTTP alone. */
  readonly summary?: string;
  /** `HEAD` is answered where `GET` is. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: readonly string[];
  readonly body?: RegistrySchemaName | 'archive';
  readonly answer?: RegistrySchemaName | 'archive';
  /** Of success. Default 200. */
  readonly status?: number;
  /** Needs no token and does not count against a rate. */
  readonly isOpen?: boolean;
}

/** By `operationId` of the OpenAPI document: the operation's id, with a suffix for further paths of it. */
export const ENDPOINTS = {
  'registry.discovery': {
    summary: 'Discover the module registry protocol',
    method: 'GET',
    path: DISCOVERY_PATH,
    answer: 'RegistryDiscovery',
    isOpen: true,
  },
  // go-tfe, the platform's client, asks here before anything else.
  'registry.ping': {
    summary: 'Read the rate limit: calls per second in X-RateLimit-Limit, where there is one',
    method: 'GET',
    path: `${MANAGED_PREFIX}/ping`,
    status: 204,
    isOpen: true,
  },
  // The body names the command: deprecate, reinstate, revoke or unrevoke.
  'registry.version.deprecate': {
    operation: 'registry.version.deprecate',
    method: 'PATCH',
    path: MANAGED_VERSION,
    body: 'RegistryCommand',
    answer: 'RegistryChanged',
  },
  'registry.version.publish': {
    operation: 'registry.version.publish',
    method: 'PUT',
    path: MANAGED_VERSION,
    query: ['description', 'source'],
    body: 'archive',
    answer: 'RegistryPublished',
    status: 201,
  },
  'registry.version.publish.post': {
    operation: 'registry.version.publish',
    method: 'POST',
    path: MANAGED_VERSION,
    query: ['description', 'source'],
    body: 'archive',
    answer: 'RegistryPublished',
    status: 201,
  },
  'registry.version.delete': {
    operation: 'registry.version.delete',
    method: 'DELETE',
    path: MANAGED_VERSION,
    status: 204,
  },
  'registry.module.deprecate-range': {
    operation: 'registry.module.deprecate-range',
    method: 'POST',
    path: `${MANAGED_MODULE}/deprecations`,
    body: 'RegistryRange',
    answer: 'RegistryRangeOutcome',
  },
  'registry.module.list': {
    operation: 'registry.module.list',
    method: 'GET',
    path: MODULES_PATH,
    query: [...PAGE, 'namespace'],
    answer: 'RegistryModules',
  },
  'registry.module.search': {
    operation: 'registry.module.list',
    method: 'GET',
    path: `${MODULES_PATH}/search`,
    query: [...PAGE, 'namespace', 'q'],
    answer: 'RegistryModules',
  },
  'registry.version.statuses': {
    operation: 'registry.version.statuses',
    method: 'POST',
    path: `${MODULES_PATH}/statuses`,
    body: 'RegistryStatusQuestion',
    answer: 'RegistryStatuses',
  },
  'registry.module.list-of-organization': {
    operation: 'registry.module.list',
    method: 'GET',
    path: ORGANIZATION,
    query: PAGE,
    answer: 'RegistryModules',
  },
  'registry.module.latest-by-provider': {
    operation: 'registry.module.latest-by-provider',
    method: 'GET',
    path: `${ORGANIZATION}/:module_name`,
    answer: 'RegistryModules',
  },
  'registry.module.latest': {
    operation: 'registry.module.latest',
    method: 'GET',
    path: MODULE,
    answer: 'RegistryModuleDetails',
  },
  'registry.module.versions': {
    operation: 'registry.module.versions',
    method: 'GET',
    path: `${MODULE}/versions`,
    answer: 'RegistryVersions',
  },
  'registry.module.download-latest': {
    operation: 'registry.version.download',
    method: 'GET',
    path: `${MODULE}/download`,
    status: 302,
  },
  'registry.version.read': {
    operation: 'registry.version.read',
    method: 'GET',
    path: VERSION,
    answer: 'RegistryModuleDetails',
  },
  'registry.version.status': {
    operation: 'registry.version.status',
    method: 'GET',
    path: `${VERSION}/status`,
    answer: 'RegistryStatus',
  },
  'registry.version.history': {
    operation: 'registry.version.history',
    method: 'GET',
    path: `${VERSION}/history`,
    query: ['before', 'limit'],
    answer: 'RegistryHistory',
  },
  'registry.version.download': {
    operation: 'registry.version.download',
    method: 'GET',
    path: `${VERSION}/download`,
    answer: 'RegistryDownload',
  },
  'registry.version.archive.tar.gz': {
    operation: 'registry.version.archive',
    method: 'GET',
    path: `${VERSION}/archive.tar.gz`,
    query: ARCHIVE_QUERY,
    answer: 'archive',
    isOpen: true,
  },
  'registry.version.archive.zip': {
    operation: 'registry.version.archive',
    method: 'GET',
    path: `${VERSION}/archive.zip`,
    query: ARCHIVE_QUERY,
    answer: 'archive',
    isOpen: true,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;

export type EndpointName = keyof typeof ENDPOINTS;

export function endpoints(): readonly (Endpoint & { readonly name: EndpointName })[] {
  // The keys of the table are exactly its names.
  const names = Object.keys(ENDPOINTS) as EndpointName[];
  return names.map((name) => ({ name, ...ENDPOINTS[name] }));
}
