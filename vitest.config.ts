import { defineConfig } from 'vitest/config';
import { alias } from './vitest.shared.js';

export default defineConfig({
  resolve: { alias },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'internal/src/**/*.test.ts', 'examples/*/**/*.test.ts'],
    testTimeout: 20_000,
    // All cores: left to itself one of two would idle.
    maxWorkers: '100%',
    coverage: {
      enabled: process.env['CI'] === 'true',
      provider: 'v8',
      reporter: ['text-summary', 'json-summary'],
      reportsDirectory: 'coverage',
      include: ['packages/*/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/index.ts', '**/*generated*', '**/default-certificates.ts'],
      thresholds: {
        'packages/core-auth/src/**': { branches: 95 },
        'packages/core-registry/src/**': { branches: 95 },
      },
    },
  },
});
