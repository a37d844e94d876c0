/**
 * What an install of a published package brings: each dependency has a permissive licence, each one from a registry a digest,
 * and the bill of materials is CycloneDX 1.6.
 */
import { closuresOf, cycloneDxProblem, toCycloneDx } from '../lib/sbom.mjs';
import { packagesToPublish } from './pack.mjs';

/** SPDX. All permit use, change and redistribution without opening the source of what uses them. */
const LICENSES = new Set([
  'MIT',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  '0BSD',
  'BlueOak-1.0.0',
  'PSF-2.0',
]);

const names = packagesToPublish().map(({ manifest }) => manifest.name);
const own = new Set(names);
/** @type {Set<string>} */
const complaints = new Set();
let total = 0;
for (const [published, closure] of await closuresOf(names)) {
  for (const [id, { name, license, integrity }] of closure) {
    if (!LICENSES.has(license)) complaints.add(`${id}: licence ${license} is not one of ${[...LICENSES].join(', ')}`);
    if (integrity === undefined && !own.has(name)) complaints.add(`${id}: the lockfile has no digest`);
  }
  const problem = await cycloneDxProblem(toCycloneDx(closure));
  if (problem !== undefined) complaints.add(`${published}: not CycloneDX 1.6: ${problem}`);
  total = Math.max(total, closure.size);
}
for (const complaint of complaints) console.log(complaint);
console.log(`${names.length} packages, at most ${total - 1} dependencies, ${complaints.size} complaints`);
process.exitCode = complaints.size === 0 ? 0 : 1;
