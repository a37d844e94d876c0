/** Every path of the registry and what answers there (spec 4.1 to 4.4; behaviour sheet 4 for the registry protocol). */
import type { Clock } from '@postern/ports';
import { ARCHIVE_FORMATS, createArchiveAddresses } from './archive-address.js';
import { createDownloads } from './downloads.js';
import { createLists } from './lists.js';
import type { RegistryHttpOptions } from './options.js';
import { createDelete, createPublish } from './publishing.js';
import { createDeprecateRange } from './range-commands.js';
import { createReads } from './reads.js';
import type { Route } from './routes.js';
import { createPatchVersion } from './version-commands.js';

export const MANAGED_PREFIX = '/api/v2';
export const PROTOCOL_PREFIX = '/api/registry/v1';
export const MODULES_PATH = `${PROTOCOL_PREFIX}/modules`;

const DEFAULT_DOWNLOAD_TTL_SECONDS = 600;
const MANAGED = `${MANAGED_PREFIX}/organizations/:organization_name/registry-modules/private/:organization_again`;
const MODULE = ':module_name/:module_provider';
const READ = `${MODULES_PATH}/:organization_name`;
const VERSION = `${READ}/${MODULE}/:module_version`;

export function createRegistryRoutes(options: RegistryHttpOptions, clock: Clock): readonly Route[] {
  const { registry, urlSigner, publicUrl } = options;
  const publish = createPublish(registry);
  const reads = createReads(registry);
  const lists = createLists(registry);
  const downloads = createDownloads({
    registry,
    addresses: createArchiveAddresses(urlSigner, clock, options.downloadTtlSeconds ?? DEFAULT_DOWNLOAD_TTL_SECONDS),
    publicUrl: publicUrl?.replace(/\/+$/, ''),
    wantsOverlay: options.wantsOverlay ?? (() => false),
  });
  return [
    {
      path: `${MANAGED}/${MODULE}/:module_version`,
      methods: { PATCH: createPatchVersion(registry), PUT: publish, POST: publish, DELETE: createDelete(registry) },
    },
    { path: `${MANAGED}/${MODULE}/deprecations`, methods: { POST: createDeprecateRange(registry) } },
    { path: MODULES_PATH, methods: { GET: lists.all } },
    { path: `${MODULES_PATH}/search`, methods: { GET: lists.search } },
    { path: `${MODULES_PATH}/statuses`, methods: { POST: reads.statuses } },
    { path: READ, methods: { GET: lists.ofNamespace } },
    { path: `${READ}/:module_name`, methods: { GET: lists.byProvider } },
    { path: `${READ}/${MODULE}`, methods: { GET: reads.latest } },
    { path: `${READ}/${MODULE}/versions`, methods: { GET: reads.versions } },
    { path: `${READ}/${MODULE}/download`, methods: { GET: downloads.downloadLatest } },
    { path: VERSION, methods: { GET: reads.version } },
    { path: `${VERSION}/status`, methods: { GET: reads.status } },
    { path: `${VERSION}/history`, methods: { GET: reads.history } },
    { path: `${VERSION}/download`, methods: { GET: downloads.download } },
    ...ARCHIVE_FORMATS.map((format) => ({
      path: `${VERSION}/archive.${format}`,
      methods: { GET: downloads.archive(format) },
      isOpen: true,
    })),
  ];
}
