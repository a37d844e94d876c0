import { defineConfig } from 'vitest/config';
import { alias } from './vitest.shared.js';

const isCi = process.env['CI'] === 'true';

export default defineConfig({
  resolve: { alias },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'conformance/src/**/*.test.ts',
      'internal/src/**/*.test.ts',
      'examples/*/**/*.test.ts',
    ],
    testTimeout: 20_000,
    // Files of one worker share their modules: to load them again for each file costs more than the tests do.
    isolate: false,
    // Processes, not threads: tests measure memory, change the environment and send signals.
    pool: 'forks',
    // All cores: left to itself one of two would idle.
    maxWorkers: '100%',
    // A file that needs another one to run before it is found in CI. The order follows from the seed that is printed:
    // `npm test -- --sequence.shuffle.files --sequence.seed=N` repeats it.
    sequence: { shuffle: { files: isCi } },
    coverage: {
      enabled: isCi,
      provider: 'v8',
      reporter: ['text-summary', 'json-summary'],
      reportsDirectory: 'coverage',
      // Those with a threshold: to map what the others cover back to their sources takes longer than some of their tests.
      include: ['packages/core-*/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/index.ts', '**/*generated*', '**/default-certificates.ts'],
      thresholds: {
        'packages/core-auth/src/**': { branches: 95 },
        'packages/core-registry/src/**': { branches: 95 },
      },
    },
  },
});
