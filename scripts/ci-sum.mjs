/** `node scripts/ci-sum.mjs FOLDER`: prints the sum of a CI run from what its parts left there, and fails if any failed. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addUp, judgePart, sumOfTests } from './lib/ci-sum.mjs';

const folder = process.argv[2] ?? '.ci/out';

/** @param {string} name @returns {unknown} undefined when the file is missing or was cut off */
function readJson(name) {
  try {
    return JSON.parse(readFileSync(join(folder, name), 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {string} name @returns {number | undefined} */
function exitCode(name) {
  const file = join(folder, `${name}.exit`);
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
}

/** @param {string} name */
function tests(name) {
  const report = /** @type {import('./lib/ci-sum.mjs').VitestReport | undefined} */ (readJson(`${name}.json`));
  return report === undefined ? undefined : sumOfTests(report);
}

const checked = /** @type {{ passed: number, failed: number } | undefined} */ (readJson('check.json'));
const parts = [
  judgePart('test', exitCode('test'), tests('test'), true),
  judgePart('check', exitCode('check'), checked === undefined ? undefined : { ...checked, skipped: 0 }, true),
  judgePart('interop', exitCode('interop'), tests('interop'), true),
  judgePart('bench', exitCode('bench'), undefined, false),
];

for (const note of parts.flatMap(({ notes }) => notes)) console.log(note);
const { passed, failed, skipped } = addUp(parts);
process.exitCode = failed === 0 ? 0 : 1;
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
