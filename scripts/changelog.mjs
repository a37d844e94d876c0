/**
 * `npm run changelog`: prints the changes that are not released yet, from the changesets. With `--release` it moves them into
 * CHANGELOG.md under the next version, and raises the version of every package.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import getReleasePlan from '@changesets/get-release-plan';
import { run } from './lib/child.mjs';
import { root, toolEntry } from './lib/workspace.mjs';

const HEADINGS = /** @type {const} */ ([
  ['major', 'Breaking changes'],
  ['minor', 'Features'],
  ['patch', 'Fixes'],
]);

/** CommonJS: the function is the default of the default. @type {typeof getReleasePlan} */
const planOf = Reflect.get(getReleasePlan, 'default') ?? getReleasePlan;

const { values } = parseArgs({ options: { release: { type: 'boolean', default: false } } });
const { changesets, releases } = await planOf(root);
const version = releases.find(({ type }) => type !== 'none')?.newVersion;

/** @param {(typeof changesets)[number]} changeset */
const bumpOf = ({ releases }) => HEADINGS.find(([bump]) => releases.some(({ type }) => type === bump))?.[0];

const sections = HEADINGS.map(([bump, heading]) => {
  const summaries = changesets
    .filter((each) => bumpOf(each) === bump)
    .sort((a, b) => a.id.localeCompare(b.id))
    .map(({ summary }) => summary.trim());
  return summaries.length === 0 ? '' : `### ${heading}\n\n${summaries.join('\n\n')}\n`;
}).filter((section) => section !== '');

if (version === undefined) {
  console.log('no changesets: nothing to release');
} else if (!values.release) {
  console.log(`## ${version} (not released)\n\n${sections.join('\n')}`);
} else {
  const file = join(root, 'CHANGELOG.md');
  const text = readFileSync(file, 'utf8');
  const marker = '<!-- releases -->\n';
  if (!text.includes(marker)) throw new Error(`CHANGELOG.md: the line ${marker.trim()} is missing`);
  writeFileSync(
    file,
    text.replace(marker, () => `${marker}\n## ${version}\n\n${sections.join('\n')}`),
  );
  process.exitCode = await run(process.execPath, [toolEntry('@changesets/cli', 'changeset'), 'version']);
}
