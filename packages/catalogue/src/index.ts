/** A hosted module catalogue: archives are published, inspected, kept and read back. */
export { type ArchiveLimits, DEFAULT_ARCHIVE_LIMITS } from './archive/archive-limits.js';
export { createHostedCatalogue, type HostedCatalogue, type HostedCatalogueOptions } from './hosted-catalogue.js';
export type { ModuleReader, ReadUpload, UploadToRead } from './module/module-reader.js';
export { createThreadReader, type ThreadReader, type ThreadReaderOptions } from './module/thread-reader.js';
export { type AddedFile, addFilesToArchive } from './overlay/add-file.js';
export type { OrganizationQuota, Quota } from './store/records.js';
export type { SweepResult } from './store/sweep.js';
