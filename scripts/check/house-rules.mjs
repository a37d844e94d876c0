/** Applies the house rules to every file that is, or is about to be, tracked. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publishedPackages, root, workspacePackages } from '../lib/workspace.mjs';
import {
  declaredImports,
  documentedDependencies,
  oneClientLibrary,
  packaging,
  pinning,
  references,
} from './rules/manifest-rules.mjs';
import { SOURCE_RULES } from './rules/source-rules.mjs';

const BINARY = /\.(png|ico|gz|tgz|der|woff2?)$/;

/** @param {string} file @returns {import('./rules/manifest-rules.mjs').Manifest} */
const readManifest = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'));

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
})
  .split('\0')
  .filter((file) => file !== '' && !BINARY.test(file) && existsSync(join(root, file)));

const packages = workspacePackages();
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const complaints = [...texts].flatMap(([path, text]) => SOURCE_RULES.flatMap((rule) => rule(path, text)));

for (const { folder, manifest } of packages) {
  for (const [path, text] of texts) {
    if (path.startsWith(`${folder}/`) && path.endsWith('.ts'))
      complaints.push(...declaredImports(path, text, manifest));
  }
}

const manifestFiles = ['package.json', ...packages.map(({ folder }) => `${folder}/package.json`)];
for (const path of manifestFiles) complaints.push(...pinning(path, readManifest(path)));
const document = 'docs/dependencies.md';
complaints.push(...documentedDependencies(document, texts.get(document) ?? '', manifestFiles.map(readManifest)));

const libraries = publishedPackages().filter(({ manifest }) => manifest.private !== true);
const version = libraries.find(({ folder }) => folder === 'packages/ports')?.manifest.version ?? '';
for (const { folder } of libraries) {
  const path = `${folder}/package.json`;
  const manifest = readManifest(path);
  complaints.push(...packaging(path, manifest, version), ...oneClientLibrary(path, manifest));
}

for (const { folder } of publishedPackages()) {
  const path = `${folder}/tsconfig.json`;
  const tsconfig = existsSync(join(root, path)) ? JSON.parse(readFileSync(join(root, path), 'utf8')) : {};
  complaints.push(...references(path, readManifest(`${folder}/package.json`), tsconfig));
}
/** @type {{ references: { path: string }[] }} */
const solution = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
for (const { folder } of publishedPackages()) {
  if (!solution.references.some(({ path }) => path === folder)) complaints.push(`tsconfig.json: ${folder} is missing`);
}

for (const complaint of complaints) console.error(complaint);
console.log(`${texts.size} files, ${packages.length} packages, ${complaints.length} complaints`);
process.exitCode = complaints.length === 0 ? 0 : 1;
