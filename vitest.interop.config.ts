import { defineConfig } from 'vitest/config';
import { alias } from './vitest.shared.js';

/** Against real engines, real documents and unmodified clients: slow, and one file at a time so that none disturbs another. */
export default defineConfig({
  resolve: { alias },
  test: {
    include: ['interop/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
