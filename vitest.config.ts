import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const packages = ['ports', 'core-auth', 'crypto-node', 'storage-memory', 'storage-sqlite', 'testkit', 'http', 'server'];

/** Tests run against the sources of every package, so that no build is needed to change a line and see it fail. */
export default defineConfig({
  resolve: {
    alias: packages.map((name) => ({
      find: new RegExp(`^@postern/${name}$`),
      replacement: fileURLToPath(new URL(`./packages/${name}/src/index.ts`, import.meta.url)),
    })),
  },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'examples/*/**/*.test.ts'],
    testTimeout: 20_000,
  },
});
