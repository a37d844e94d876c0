/** A BlobStore on the file system: content-addressed by SHA-256, durable, verified while it is read. */
export { type FileBlobStoreOptions, openFileBlobStore } from './file-blob-store.js';
