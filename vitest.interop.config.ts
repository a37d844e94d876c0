import { defineConfig } from 'vitest/config';
import { alias } from './vitest.shared.js';

/** Judged by the clock: nothing else may run beside them. */
const TIMED = ['interop/fuzz/**/*.test.ts', 'interop/login-fuzz/**/*.test.ts', 'interop/provider-trouble/**/*.test.ts'];

const shared = { testTimeout: 180_000, hookTimeout: 300_000 };

/** Against real engines, real documents and unmodified clients: slow. Two files at a time, then the timed ones alone. */
export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          ...shared,
          name: 'together',
          include: ['interop/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...TIMED],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        resolve: { alias },
        test: { ...shared, name: 'alone', include: TIMED, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
