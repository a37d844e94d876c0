/** Proves that the check of citations can fail, and on nothing else. */
import { checkCitations, parseRules } from '../lib/spec-ids.mjs';

/** @param {string[]} lines */
const page = (...lines) => parseRules('a.md', lines.join('\n'));
const rules = page('# A', '### ONE-1 first', 'text', '### ONE-2 second', 'Status: planned', '### ONE-3 third');
const SAMPLES = /** @type {[string, boolean][]} */ ([
  ['does it (ONE-1)', false],
  ['does it (ONE-1 to ONE-3)', false],
  ['a SHA-1 digest of UTF-8', false],
  ['does it (ONE-4)', true],
  ['does it (ONE-2 to ONE-4)', true],
  [`does it (${'decision'} R5)`, true],
  [`does it (${'spec'} 4.1)`, true],
  [`${'Behaviour'} sheet 3`, true],
  [`${'threats'} P4 and P5`, true],
]);

/** @type {string[]} */
const problems = [];
for (const [line, refused] of SAMPLES) {
  const { complaints } = checkCitations(rules, new Map([['packages/a.ts', line]]));
  if (complaints.length > 0 !== refused) problems.push(`${line}: ${refused ? 'not refused' : complaints.join('; ')}`);
}
const twice = checkCitations([...rules, ...page('### ONE-1 again')], new Map());
if (twice.complaints.length !== 1) problems.push('an id that is defined twice: not refused');
const { uncited } = checkCitations(
  rules,
  new Map([
    ['packages/a.ts', '(ONE-1)'],
    ['docs/a.md', '(ONE-3)'],
  ]),
); // prettier-ignore
if (uncited.join() !== 'ONE-3') problems.push(`uncited: ${uncited.join()} instead of ONE-3`);

for (const problem of problems) console.error(problem);
console.log(`${SAMPLES.length + 2} samples, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
