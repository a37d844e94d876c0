import { existsSync } from 'node:fs';
import { defineConfig } from 'tsup';

const packages = ['ports', 'core-auth', 'crypto-node', 'storage-memory', 'storage-sqlite', 'testkit', 'http', 'server'];

/** JavaScript only; `tsc -b` writes the declarations beside it. Everything imported by name stays an import. */
export default defineConfig(
  packages.map((name) => ({
    entry: {
      index: `packages/${name}/src/index.ts`,
      ...(existsSync(`packages/${name}/src/cli.ts`) ? { cli: `packages/${name}/src/cli.ts` } : {}),
    },
    outDir: `packages/${name}/dist`,
    format: 'esm' as const,
    target: 'node20',
    platform: 'neutral' as const,
    sourcemap: true,
    clean: false,
    dts: false,
    external: [/^[^./]/],
    silent: true,
  })),
);
