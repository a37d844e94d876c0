/** The reference Storage and BlobStore: in memory, for tests and embedding. */
export { createMemoryBlobStore } from './memory-blob-store.js';
export { createMemoryStorage } from './memory-storage.js';
