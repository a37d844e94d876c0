/** Proves that the sum of a CI run cannot hide a failure: a crashed file, a missing report, a bad exit code, an empty run. */
import { addUp, judgePart, sumOfTests } from '../lib/ci-sum.mjs';

/** @param {number} passed @param {number} failed @param {number} skipped */
const sum = (passed, failed, skipped) => ({ passed, failed, skipped });
/** @param {string} status @param {...string} tests */
const file = (status, ...tests) => ({ status, assertionResults: tests.map((each) => ({ status: each })) });

/** @type {[string, { passed: number, failed: number, skipped: number }, { passed: number, failed: number, skipped: number }][]} */
const cases = [
  [
    'a crashed file is one failure, a failed test is not counted twice',
    sumOfTests({
      numPassedTests: 5,
      numFailedTests: 1,
      numPendingTests: 2,
      numTodoTests: 1,
      testResults: [file('passed', 'passed'), file('failed', 'failed', 'passed'), file('failed')],
    }),
    sum(5, 2, 3),
  ],
  ['a green part', judgePart('x', 0, sum(3, 0, 1), true), sum(3, 0, 1)],
  ['failures are counted once', judgePart('x', 1, sum(3, 2, 0), true), sum(3, 2, 0)],
  ['an exit code without a failure', judgePart('x', 1, sum(3, 0, 0), true), sum(3, 1, 0)],
  ['no report', judgePart('x', 0, undefined, true), sum(0, 1, 0)],
  ['no report and a bad exit code', judgePart('x', 137, undefined, true), sum(0, 1, 0)],
  ['a part that never ended', judgePart('x', undefined, undefined, true), sum(0, 1, 0)],
  ['nothing but skipped tests', judgePart('x', 0, sum(0, 0, 9), true), sum(0, 1, 9)],
  ['a benchmark that passed', judgePart('x', 0, undefined, false), sum(0, 0, 0)],
  ['a benchmark that failed', judgePart('x', 1, undefined, false), sum(0, 1, 0)],
  ['the sum', addUp([sum(1, 2, 3), sum(4, 5, 6)]), sum(5, 7, 9)],
];

let problems = 0;
for (const [name, { passed, failed, skipped }, wanted] of cases) {
  if (passed === wanted.passed && failed === wanted.failed && skipped === wanted.skipped) continue;
  problems += 1;
  console.error(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped; expected ${JSON.stringify(wanted)}`);
}
console.log(`${cases.length} cases, ${problems} problems`);
process.exitCode = problems === 0 ? 0 : 1;
