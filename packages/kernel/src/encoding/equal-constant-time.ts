/** Comparison of secrets and MACs whose time tells nothing about where two values differ. */

/** Whether two arrays hold the same bytes. Takes time by `expected.length` only; lengths are no secret. */
export function equalConstantTime(given: Uint8Array, expected: Uint8Array): boolean {
  let difference = given.length ^ expected.length;
  for (let at = 0; at < expected.length; at += 1) difference |= (given[at] ?? 0) ^ (expected[at] ?? 0);
  return difference === 0;
}
