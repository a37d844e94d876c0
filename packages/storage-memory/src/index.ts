/** The reference Storage: in memory, for tests and embedding. */
export { createMemoryStorage } from './memory-storage.js';
