/** Bundles every `bench/src/*.bench.ts` and runs them one after another: figures of two at once would mean nothing. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './child.mjs';
import { root } from './workspace.mjs';

/**
 * @param {string[]} args passed on to each benchmark
 * @returns {Promise<number>} exit code: 0 when every benchmark ended with 0
 */
export async function runBenchmarks(args) {
  const source = join(root, 'bench/src');
  const names = existsSync(source)
    ? readdirSync(source)
        .filter((name) => name.endsWith('.bench.ts'))
        .map((name) => name.slice(0, -'.ts'.length))
        .sort()
    : [];
  if (names.length === 0) {
    console.error('postern: bench/src holds no *.bench.ts.');
    return 1;
  }

  const { build } = await import('tsup');
  await build({
    config: false,
    entry: Object.fromEntries(names.map((name) => [name, `bench/src/${name}.ts`])),
    outDir: 'bench/dist',
    format: 'esm',
    target: 'node20',
    platform: 'node',
    clean: true,
    silent: true,
    external: [/^[^./]/],
  });

  const failed = [];
  for (const name of names) {
    console.log(`\n--- ${name} ${args.join(' ')}`);
    const code = await run(process.execPath, ['--expose-gc', join(root, `bench/dist/${name}.js`), ...args]);
    if (code !== 0) failed.push(`${name} (exit code ${code})`);
  }
  console.log(
    `\nbenchmarks: ${names.length} run, ${failed.length} failed${failed.map((each) => ` - ${each}`).join('')}`,
  );
  return failed.length === 0 ? 0 : 1;
}
