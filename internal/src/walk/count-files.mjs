/**
 * How many source files one call over HTTP enters, and how often it goes from one file to another: the length of the way
 * that a reader has to walk. Runs an ec2 login, an iam login, a PATCH of a deprecation and a page of the registry against a
 * server in this process, each once to warm up and once counted; what the simulated cloud does is not counted.
 *
 *     node internal/src/walk/count-files.mjs [--list] [--check]
 *
 * `--list` names the files of each call, `--check` fails where a call enters more files than its limit.
 */
import { register } from 'node:module';

const LIMITS = { 'ec2 login': 50, 'iam login': 50, 'PATCH of a deprecation': 40, 'page of the registry': 40 };
const NOT_COUNTED = /^(testkit|sandbox)\//;

register('./instrument.mjs', import.meta.url);

/** Files in the order in which their functions are entered; undefined while nothing is counted. @type {string[] | undefined} */
let entered;
Object.assign(globalThis, {
  /** @param {string} file */
  __postern_walk: (file) => {
    if (entered !== undefined && !NOT_COUNTED.test(file)) entered.push(file);
  },
});

const { startWalkSite } = await import('./walk-site.ts');
const site = await startWalkSite();
let isTooLong = false;
for (const [name, prepare] of Object.entries(site.calls)) {
  await (await prepare())();
  const way = await counted(await prepare());
  const files = new Set(way);
  const hops = way.filter((file, at) => at > 0 && file !== way[at - 1]).length;
  const limit = LIMITS[/** @type {keyof typeof LIMITS} */ (name)];
  isTooLong ||= files.size > limit;
  console.log(`${name.padEnd(24)} ${String(files.size).padStart(3)} files (limit ${limit}), ${hops} hops`);
  if (process.argv.includes('--list')) for (const file of files) console.log(`    ${file}`);
}
await site.close();
if (isTooLong && process.argv.includes('--check')) process.exitCode = 1;

/** @param {() => Promise<void>} call @returns {Promise<string[]>} files in the order entered */
async function counted(call) {
  /** @type {string[]} */
  const way = [];
  entered = way;
  await call();
  entered = undefined;
  return way;
}
