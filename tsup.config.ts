import { defineConfig } from 'tsup';
import { publishedPackages } from './scripts/lib/workspace.mjs';

/**
 * JavaScript only; `tsc -b` writes the declarations beside it. What a package's `exports` and `bin` name is what is built.
 * Everything imported by name stays an import: no package carries another's code.
 */
export default defineConfig(
  publishedPackages()
    .filter(({ entries }) => entries.length > 0)
    .map(({ folder, entries }) => ({
      entry: Object.fromEntries(entries.map(({ output, source }) => [output, source])),
      outDir: `${folder}/dist`,
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
