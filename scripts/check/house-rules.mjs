/** Applies the house rules to every file that is, or is about to be, tracked. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import cruiser from '../../.dependency-cruiser.mjs';
import { publishedPackages, root, workspacePackages } from '../lib/workspace.mjs';
import { declaredImports, documentedDependencies, packaging, pinning, references } from './rules/manifest-rules.mjs';
import { sourceComplaints } from './rules/source-rules.mjs';

const BINARY = /\.(png|ico|gz|tgz|der|woff2?)$/;

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
})
  .split('\0')
  .filter((file) => file !== '' && !BINARY.test(file) && existsSync(join(root, file)));

/** @param {string} file @returns {any} */
const readJson = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'));

const packages = workspacePackages();
const published = publishedPackages();
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const manifests = new Map(
  ['', ...packages.map(({ folder }) => `${folder}/`)].map((each) => [each, readJson(`${each}package.json`)]),
); // prettier-ignore
const complaints = [...texts].flatMap(([path, text]) => sourceComplaints(path, text));

for (const { folder, manifest } of packages) {
  for (const [path, text] of texts)
    if (path.startsWith(`${folder}/`) && /\.(ts|mjs)$/.test(path))
      complaints.push(...declaredImports(path, text, manifest));
}
for (const [folder, manifest] of manifests) complaints.push(...pinning(`${folder}package.json`, manifest));
const document = 'docs/dependencies.md';
complaints.push(...documentedDependencies(document, texts.get(document) ?? '', [...manifests.values()]));

const version = readJson('packages/ports/package.json').version;
const solution = new Set(readJson('tsconfig.json').references.map((/** @type {{ path: string }} */ each) => each.path));
for (const { folder } of published) {
  const manifest = readJson(`${folder}/package.json`);
  complaints.push(...references(`${folder}/tsconfig.json`, manifest, readJson(`${folder}/tsconfig.json`)));
  if (!solution.has(folder)) complaints.push(`tsconfig.json: ${folder} is missing`);
  if (manifest.private !== true) complaints.push(...packaging(`${folder}/package.json`, manifest, version));
}

// A rule whose files have moved away forbids nothing.
for (const { name, from } of cruiser.forbidden ?? []) {
  const { path } = from;
  if (typeof path === 'string' && !files.some((file) => new RegExp(path).test(file)))
    complaints.push(`.dependency-cruiser.mjs: ${name} is about no file`);
}

for (const complaint of complaints) console.error(complaint);
console.log(`${texts.size} files, ${packages.length} packages, ${complaints.length} complaints`);
process.exitCode = complaints.length === 0 ? 0 : 1;
