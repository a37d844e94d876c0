/** Adds up what the parts of a CI run say of themselves; a part that failed without saying so counts as one failure. */

/**
 * @typedef {object} Sum
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 *
 * @typedef {object} VitestReport What vitest's json reporter writes, as far as it is counted.
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests skipped
 * @property {number} numTodoTests
 * @property {{ status: string, assertionResults: { status: string }[] }[]} testResults one for each file
 */

/**
 * A file that crashed before its first test has no failed test of its own: it counts as one failure.
 *
 * @param {VitestReport} report @returns {Sum}
 */
export function sumOfTests(report) {
  const crashed = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((each) => each.status !== 'failed'),
  ).length;
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + crashed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/**
 * @param {string} name
 * @param {number | undefined} exitCode undefined when the part left none
 * @param {Sum | undefined} sum undefined when the part counted nothing
 * @param {boolean} mustCount a part that has tests, or steps, must have run one
 * @returns {Sum & { notes: string[] }}
 */
export function judgePart(name, exitCode, sum, mustCount) {
  const counted = sum ?? { passed: 0, failed: 0, skipped: 0 };
  if (counted.failed > 0) return { ...counted, notes: [] };
  /** @type {string[]} */
  const notes = [];
  if (exitCode === undefined) notes.push(`${name}: did not run to its end`);
  else if (exitCode !== 0) notes.push(`${name}: exit code ${exitCode}, though it counted no failure`);
  else if (mustCount && sum === undefined) notes.push(`${name}: printed no counts`);
  else if (mustCount && counted.passed === 0) notes.push(`${name}: nothing passed`);
  return { ...counted, failed: notes.length, notes };
}

/** @param {readonly Sum[]} sums @returns {Sum} */
export function addUp(sums) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { passed, failed, skipped } of sums) {
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  return total;
}
