/** Every citation of a rule resolves to exactly one rule of docs/spec; says which rules nothing cites. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkCitations, readRules } from '../lib/spec-ids.mjs';
import { root } from '../lib/workspace.mjs';

const PLACES = ['packages', 'internal', 'interop', 'bench', 'examples', 'conformance', 'docs', 'README.md'];
const TEXT = /\.(ts|mjs|cjs|js|json|md|go|py|sh|vue)$/;

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...PLACES], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
})
  .split('\0')
  .filter((file) => TEXT.test(file) && existsSync(join(root, file)));

const rules = readRules(join(root, 'docs/spec'));
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const { complaints, uncited } = checkCitations(rules, texts);
for (const complaint of complaints) console.error(complaint);
const planned = rules.filter((rule) => rule.planned).length;
console.log(
  `${rules.length} rules, ${planned} planned, ${uncited.length} cited by no code or case: ${uncited.join(' ')}`,
);
process.exitCode = complaints.length === 0 ? 0 : 1;
