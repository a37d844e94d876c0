/**
 * How much time has passed, whatever happens to the clocks: the wall clock may be set back, the monotonic one stands still while a
 * machine sleeps. What either of them says has passed, has passed: a token is taken for older rather than for younger.
 */

/** @returns milliseconds from 0 on that never go back. */
export function createSteadyClock(
  wall: () => number = Date.now,
  monotonic: () => number = () => performance.now(),
): () => number {
  let [lastWall, lastMonotonic, passed] = [wall(), monotonic(), 0];
  return () => {
    const [nowWall, nowMonotonic] = [wall(), monotonic()];
    passed += Math.max(0, nowWall - lastWall, nowMonotonic - lastMonotonic);
    [lastWall, lastMonotonic] = [nowWall, nowMonotonic];
    return passed;
  };
}
