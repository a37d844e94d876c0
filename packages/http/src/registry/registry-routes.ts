/** Every path of the registry and what answers there (REGAPI-1, MODULE-3, MODULE-2, MODULE-6 for the registry protocol). */
import type { Clock } from '@postern/ports';
import { ARCHIVE_FORMATS, createArchiveAddresses } from './archive-address.js';
import { createDownloads } from './downloads.js';
import type { Handler } from './exchange.js';
import { lists } from './lists.js';
import type { RegistryHttpOptions } from './options.js';
import { deleteVersion, publish } from './publishing.js';
import { deprecateRange } from './range-commands.js';
import { createReads } from './reads.js';
import { MANAGED_ROUTE, MODULE_PART, MODULES_PATH, READ_ROUTE, VERSION_ROUTE } from './registry-paths.js';
import { patchVersion } from './version-commands.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Route {
  readonly path: string;
  /** `HEAD` is answered where `GET` is. */
  readonly methods: Readonly<Partial<Record<Method, Handler>>>;
  /** Needs no token and does not count against a rate: a signed address. */
  readonly isOpen?: boolean;
}

const DEFAULT_DOWNLOAD_TTL_SECONDS = 600;

export function createRegistryRoutes(options: RegistryHttpOptions, clock: Clock): readonly Route[] {
  const { registry, urlSigner, publicUrl } = options;
  const reads = createReads();
  const downloads = createDownloads({
    registry,
    addresses: createArchiveAddresses(urlSigner, clock, options.downloadTtlSeconds ?? DEFAULT_DOWNLOAD_TTL_SECONDS),
    publicUrl: publicUrl?.replace(/\/+$/, ''),
    wantsOverlay: options.wantsOverlay ?? (() => false),
  });
  return [
    {
      path: `${MANAGED_ROUTE}/${MODULE_PART}/:module_version`,
      methods: { PATCH: patchVersion, PUT: publish, POST: publish, DELETE: deleteVersion },
    },
    { path: `${MANAGED_ROUTE}/${MODULE_PART}/deprecations`, methods: { POST: deprecateRange } },
    { path: MODULES_PATH, methods: { GET: lists.all } },
    { path: `${MODULES_PATH}/search`, methods: { GET: lists.search } },
    { path: `${MODULES_PATH}/statuses`, methods: { POST: reads.statuses } },
    { path: READ_ROUTE, methods: { GET: lists.ofNamespace } },
    { path: `${READ_ROUTE}/:module_name`, methods: { GET: lists.byProvider } },
    { path: `${READ_ROUTE}/${MODULE_PART}`, methods: { GET: reads.latest } },
    { path: `${READ_ROUTE}/${MODULE_PART}/versions`, methods: { GET: reads.versions } },
    { path: `${READ_ROUTE}/${MODULE_PART}/download`, methods: { GET: downloads.downloadLatest } },
    { path: VERSION_ROUTE, methods: { GET: reads.version } },
    { path: `${VERSION_ROUTE}/status`, methods: { GET: reads.status } },
    { path: `${VERSION_ROUTE}/history`, methods: { GET: reads.history } },
    { path: `${VERSION_ROUTE}/download`, methods: { GET: downloads.download } },
    ...ARCHIVE_FORMATS.map((format) => ({
      path: `${VERSION_ROUTE}/archive.${format}`,
      methods: { GET: downloads.archive(format) },
      isOpen: true,
    })),
  ];
}
